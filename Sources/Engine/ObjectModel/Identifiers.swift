// These are plain structs rather than RawRepresentable ones, whose hashing calls an unspecialised generic in other
// modules.

/// The key of an object within its class. Assigned in creation order, starting at 0, and never reused, so ascending
/// keys are creation order.
package struct ObjectKey: Hashable, Comparable, Sendable {
    package let rawValue: Int64

    package init(rawValue: Int64) { self.rawValue = rawValue }
    package init(_ rawValue: Int64) { self.rawValue = rawValue }

    package static func < (a: ObjectKey, b: ObjectKey) -> Bool { a.rawValue < b.rawValue }
}

/// The stable number of a class. It survives schema changes and is never assigned to another class.
package struct ClassID: Hashable, Comparable, Sendable {
    package let rawValue: UInt32

    package init(rawValue: UInt32) { self.rawValue = rawValue }
    package init(_ rawValue: UInt32) { self.rawValue = rawValue }

    package static func < (a: ClassID, b: ClassID) -> Bool { a.rawValue < b.rawValue }
}

/// The stable number of a property within its class. It survives schema changes and is never assigned to another
/// property of the class.
package struct PropertyID: Hashable, Comparable, Sendable {
    package let rawValue: UInt16

    package init(rawValue: UInt16) { self.rawValue = rawValue }
    package init(_ rawValue: UInt16) { self.rawValue = rawValue }

    package static func < (a: PropertyID, b: PropertyID) -> Bool { a.rawValue < b.rawValue }
}

/// The number of a commit. A new store is at version 1; every commit adds one.
package struct Version: Hashable, Comparable, Sendable, CustomStringConvertible {
    package let rawValue: UInt64

    package init(rawValue: UInt64) { self.rawValue = rawValue }
    package init(_ rawValue: UInt64) { self.rawValue = rawValue }

    package static func < (a: Version, b: Version) -> Bool { a.rawValue < b.rawValue }

    /// The version of the next commit.
    package var next: Version { Version(rawValue + 1) }

    /// The version before; nil for the first.
    package var previous: Version? { rawValue > 0 ? Version(rawValue - 1) : nil }

    package var description: String { String(rawValue) }
}

/// One object of a store: its class and its key.
package struct ObjectReference: Hashable, Comparable, Sendable {
    package let classID: ClassID
    package let key: ObjectKey

    package init(_ classID: ClassID, _ key: ObjectKey) {
        self.classID = classID
        self.key = key
    }

    package static func < (a: ObjectReference, b: ObjectReference) -> Bool {
        a.classID != b.classID ? a.classID < b.classID : a.key < b.key
    }
}
