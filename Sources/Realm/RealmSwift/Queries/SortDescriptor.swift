/// One property to sort by, and in which direction.
public struct SortDescriptor: Equatable, CustomStringConvertible, Sendable {
    /// With dots through to-one links: `owner.name`. Of plain values `self`.
    public let keyPath: String
    public let ascending: Bool

    public init(keyPath: String, ascending: Bool = true) {
        self.keyPath = keyPath
        self.ascending = ascending
    }

    /// With a Swift key path of a model class. Traps for one that leads to no stored property.
    public init<Element: ObjectBase>(keyPath: PartialKeyPath<Element>, ascending: Bool = true) {
        self.init(keyPath: _name(for: keyPath), ascending: ascending)
    }

    /// The same with the other direction.
    public func reversed() -> SortDescriptor { SortDescriptor(keyPath: keyPath, ascending: !ascending) }

    public var description: String {
        "SortDescriptor(keyPath: \(keyPath), direction: \(ascending ? "ascending" : "descending"))"
    }
}

extension SortDescriptor: ExpressibleByStringLiteral {
    /// Ascending.
    public init(stringLiteral value: String) { self.init(keyPath: value) }
}
