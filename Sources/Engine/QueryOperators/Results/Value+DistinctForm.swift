package import ObjectModel

extension Value {
    /// One form for all values that are equal in the total order, so that a set or dictionary distinguishes what
    /// distinct and group-by distinguish: 1, 1.0 and decimal 1 are one, -0 is 0, all NaN are one, and so are all
    /// collections of a kind.
    package var distinctForm: Value {
        switch self {
        case .float(let number): Self.distinctForm(of: Double(number))
        case .double(let number): Self.distinctForm(of: number)
        case .decimal(let number):
            if number.isNaN {
                .double(.nan)
            } else if let integer = number.exactInt64 {
                .int(integer)
            } else if let double = number.exactDouble {
                .double(double)
            } else {
                .decimal(number.canonical)
            }
        case .list: .list([])
        case .set: .set([])
        case .dictionary: .dictionary(ValueMap())
        default: self
        }
    }

    private static func distinctForm(of number: Double) -> Value {
        if number.isNaN { return .double(.nan) }
        return Int64(exactly: number).map { .int($0) } ?? .double(number)
    }
}
