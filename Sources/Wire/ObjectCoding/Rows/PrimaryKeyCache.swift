import ObjectModel

/// The primary keys of objects that were last linked to: many objects often link to few.
///
/// Each object has one of 64 slots, and replaces the object that was there. So the memory does not grow with the number
/// of targets, and a look-up hashes nothing.
struct PrimaryKeyCache {
    /// A struct: an array of tuples would be released by generic code, which took longer than 60 look-ups.
    private struct Entry {
        let target: ObjectReference
        let primaryKey: Value
    }

    private var slots: [Entry?] = []

    private static let slotCount = 64

    private static func slot(of target: ObjectReference) -> Int {
        Int(truncatingIfNeeded: target.key.rawValue &+ Int64(target.classID.rawValue)) & (slotCount - 1)
    }

    subscript(target: ObjectReference) -> Value? {
        get {
            guard !slots.isEmpty, let known = slots[Self.slot(of: target)], known.target == target else { return nil }
            return known.primaryKey
        }
        set {
            if slots.isEmpty { slots = Array(repeating: nil, count: Self.slotCount) }
            slots[Self.slot(of: target)] = newValue.map { Entry(target: target, primaryKey: $0) }
        }
    }
}
