/// A property to sort by, and the direction.
public struct SortDescriptor: Equatable, CustomStringConvertible, Sendable {
    /// The property, dotted through to-one links: `owner.name`. `self` for plain values.
    public let keyPath: String
    /// Whether smaller values come first. Null is smaller than all others.
    public let ascending: Bool

    /// Creates a descriptor. The path is checked when a collection is sorted by it.
    public init(keyPath: String, ascending: Bool = true) {
        self.keyPath = keyPath
        self.ascending = ascending
    }

    /// Creates a descriptor from a Swift key path of a model class. Traps if the path leads to no stored property.
    public init<Element: ObjectBase>(keyPath: PartialKeyPath<Element>, ascending: Bool = true) {
        self.init(keyPath: _name(for: keyPath), ascending: ascending)
    }

    /// Returns a descriptor with the opposite direction.
    public func reversed() -> SortDescriptor { SortDescriptor(keyPath: keyPath, ascending: !ascending) }

    public var description: String {
        "SortDescriptor(keyPath: \(keyPath), direction: \(ascending ? "ascending" : "descending"))"
    }
}

extension SortDescriptor: ExpressibleByStringLiteral {
    /// Creates an ascending descriptor.
    public init(stringLiteral value: String) { self.init(keyPath: value) }
}
