package import ObjectModel

extension Value {
    /// One form for values that are equal in the total order, which may be of another type: an Int for a whole number, else a
    /// double where it is exact, one NaN, and one collection of each kind. For hashing.
    package var canonical: Value {
        switch self {
        case .float(let number): Self.canonical(Double(number))
        case .double(let number): Self.canonical(number)
        case .decimal(let number):
            if number.isNaN {
                .double(.nan)
            } else if let whole = number.exactInt64 {
                .int(whole)
            } else if let double = number.exactDouble {
                Self.canonical(double)
            } else {
                .decimal(number.canonical)
            }
        case .list: .list([])
        case .set: .set([])
        case .dictionary: .dictionary(ValueMap())
        default: self
        }
    }

    private static func canonical(_ number: Double) -> Value {
        if number.isNaN { return .double(.nan) }
        return Int64(exactly: number).map { .int($0) } ?? .double(number)
    }
}
