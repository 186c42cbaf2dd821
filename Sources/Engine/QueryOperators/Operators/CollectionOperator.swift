package import Columnar
package import ObjectModel
package import QuerySyntax
package import QueryLanguage

/// Tests the elements of a list, set or map, its keys, one of its elements or its size, in place in the column. A
/// collection that is too large for its leaf is read block by block.
package final class CollectionOperator: Operator {
    /// The tested part of a collection. Missing single elements are null.
    package enum Part {
        case elements(Quantifier)
        case keys(Quantifier)
        case one(ElementSelector)
        case size
    }

    private let property: PropertyID
    private let part: Part
    private let test: ElementTest
    private let key: StableBytes?
    private let base: BaseType
    private let capacity: Int
    /// The integers that pass the test, when it tests sizes or Ints.
    private let integers: LeafIntegers?
    private let scratch: SelectionMask?

    /// For a collection of elements of type `base`.
    package init(_ property: PropertyID, of base: BaseType, _ part: Part, _ test: ElementTest, capacity: Int) {
        self.property = property
        self.base = base
        self.part = part
        self.test = test
        self.capacity = capacity
        switch part {
        case .size: integers = test.integers
        case .elements where base == .int: integers = test.integers
        case .elements, .keys, .one: integers = nil
        }
        scratch = integers == nil ? nil : SelectionMask(capacity: capacity)
        if case .one(.key(let text)) = part { key = StableBytes(text.utf8) } else { key = nil }
    }

    package var cost: Double {
        switch part {
        case .size: integers == nil ? 8 : 4
        case .one: 20
        case .elements: integers == nil ? 40 : 10
        case .keys: 40
        }
    }

    package func narrow(_ mask: SelectionMask, in cluster: ClusterView) throws {
        let leaf = try cluster.leaf(property)
        guard leaf.kind.collection != .single else { throw LeafError.kindMismatch }
        let first = Int64(cluster.firstKey)
        func collection(_ slot: Int) -> StoredCollection {
            StoredCollection(
                leaf, slot, cluster.source, cluster.classID, ObjectKey(first + Int64(slot)), property)
        }
        func holds(_ quantifier: Quantifier, _ slot: Int) throws -> Bool {
            quantifier.holds(
                reachedEnd: try collection(slot).forEach { quantifier.goesOn(after: test.holds(view: $0)) })
        }
        if let integers, let scratch {
            switch part {
            case .size: return leaf.narrow(mask, sizes: integers, scratch: scratch)
            case .elements(let quantifier):
                // All pass when none fails.
                let wanted = quantifier == .all ? integers.inverted : integers
                return try leaf.narrow(mask, toAny: wanted, isOpposite: quantifier != .any, scratch: scratch) { slot in
                    try holds(quantifier, slot)
                }
            case .one, .keys: break
            }
        }
        switch part {
        case .size:
            mask.filter { test.holds(view: .int(Int64(collection($0).count))) }
        case .one(let selector):
            try mask.filter { test.holds(view: try collection($0).element(selector, key) ?? .null) }
        case .elements(let quantifier):
            try mask.filter { try holds(quantifier, $0) }
        case .keys(let quantifier):
            try mask.filter { slot in
                quantifier.holds(
                    reachedEnd: try collection(slot).forEachKey {
                        quantifier.goesOn(after: test.holds(view: .string($0)))
                    })
            }
        }
    }

    package func copy() -> any Operator {
        CollectionOperator(property, of: base, part, test, capacity: capacity)
    }

    package func words(_ names: ExplainNames) -> String {
        switch part {
        case .elements(let quantifier):
            "scan \(names[property]): \(quantifier.rawValue) of the elements, in place"
        case .keys(let quantifier): "scan \(names[property]): \(quantifier.rawValue) of the keys, in place"
        case .one: "scan \(names[property]): one element, in place"
        case .size: "scan \(names[property]): number of elements"
        }
    }
}

extension ElementTest {
    /// The integers that pass, when the test is one comparison that is equivalent to a range.
    fileprivate var integers: LeafIntegers? {
        guard let single, case .integers(let low, let high) = ColumnRange(single.operation, single.constant, base: .int)
        else { return nil }
        return LeafIntegers(low, through: high, isInverted: single.operation == .notEqual)
    }
}
