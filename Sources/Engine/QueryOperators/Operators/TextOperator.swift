package import Columnar
package import ObjectModel

/// Keeps the objects whose string passes a test, or, inverted, all others with the nulls. Where a cluster has few
/// distinct strings, each is tested once.
package final class TextOperator: ColumnOperator {
    package enum Test {
        case pattern(TextPattern)
        /// Any of these, byte by byte.
        case anyOf(Set<[UInt8]>)
    }

    let property: PropertyID
    private let test: Test
    private let inverted: Bool
    private let capacity: Int
    private let scratch: SelectionMask

    package init(_ property: PropertyID, _ test: Test, inverted: Bool, capacity: Int) {
        self.capacity = capacity
        self.property = property
        self.test = test
        self.inverted = inverted
        scratch = SelectionMask(capacity: capacity)
    }

    package var cost: Double {
        switch test {
        case .pattern(let pattern):
            switch pattern.test {
            case .contains, .like: pattern.ignoresCase ? 100 : 40
            default: pattern.ignoresCase ? 10 : 3
            }
        case .anyOf: 50
        }
    }

    func narrow(_ mask: SelectionMask, _ leaf: Leaf) throws {
        guard leaf.kind == .string else { throw LeafError.kindMismatch }
        switch test {
        case .pattern(let pattern): leaf.narrow(mask, texts: pattern, inverted: inverted, scratch: scratch)
        case .anyOf(let texts): leaf.narrow(mask, texts: texts, inverted: inverted, scratch: scratch)
        }
    }

    package func share(of cluster: ClusterView) throws -> Double {
        let share: Double
        switch test {
        case .pattern(let pattern):
            switch pattern.test {
            case .equal: share = 0.02
            case .prefix, .suffix, .contains, .like: share = 0.1
            default: share = 0.4
            }
        case .anyOf(let texts): share = min(0.5, 0.02 * Double(texts.count))
        }
        return inverted ? 1 - share : share
    }

    package func copy() -> any Operator { TextOperator(property, test, inverted: inverted, capacity: capacity) }

    package func words(_ names: ExplainNames) -> String {
        let what =
            switch test {
            case .pattern(let pattern): "\(pattern.test)\(pattern.ignoresCase ? " [c]" : "")"
            case .anyOf(let texts): "any of \(texts.count) strings"
            }
        return "scan \(names[property]): \(inverted ? "not " : "")\(what), dictionary first"
    }
}

/// Keeps the objects whose ObjectId or UUID passes a test, or, inverted, all others with the nulls.
package final class IdentifierOperator: Operator {
    package enum Test {
        case objectId(@Sendable (ObjectId) -> Bool)
        case uuid(@Sendable (UUIDValue) -> Bool)
    }

    private let property: PropertyID
    private let test: Test
    private let inverted: Bool

    package init(_ property: PropertyID, _ test: Test, inverted: Bool) {
        self.property = property
        self.test = test
        self.inverted = inverted
    }

    package var cost: Double { 2 }

    package func narrow(_ mask: SelectionMask, in cluster: ClusterView) throws {
        let leaf = try cluster.leaf(property)
        switch (test, leaf.kind) {
        case (.objectId(let test), .objectId): leaf.narrow(mask, inverted: inverted) { test(leaf.objectId(at: $0)) }
        case (.uuid(let test), .uuid): leaf.narrow(mask, inverted: inverted) { test(leaf.uuid(at: $0)) }
        default: throw LeafError.kindMismatch
        }
    }

    package func copy() -> any Operator { IdentifierOperator(property, test, inverted: inverted) }

    package func words(_ names: ExplainNames) -> String {
        "scan \(names[property]): identifier test\(inverted ? ", inverted" : "")"
    }
}
