package import ObjectModel

/// The objects of a result in order: a list that is changed at any place, and copied, at little cost.
package struct KeySequence: Hashable, Sendable {
    private var keys: [ObjectKey]

    package init() { keys = [] }

    /// Cost: linear.
    package init(_ keys: some Sequence<ObjectKey>) { self.keys = Array(keys) }

    package mutating func insert(_ key: ObjectKey, at index: Int) { keys.insert(key, at: index) }

    @discardableResult
    package mutating func remove(at index: Int) -> ObjectKey { keys.remove(at: index) }
}

extension KeySequence: RandomAccessCollection {
    package var startIndex: Int { 0 }
    package var endIndex: Int { keys.count }
    package subscript(index: Int) -> ObjectKey { keys[index] }
}

extension KeySequence: ExpressibleByArrayLiteral {
    package init(arrayLiteral keys: ObjectKey...) { self.init(keys) }
}
