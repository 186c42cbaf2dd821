package import ObjectModel
package import QueryLanguage

/// The part of a predicate that an object's own single values decide: compiled once, for values of any version. Used by
/// one thread at a time.
package struct ValuePredicate {
    private indirect enum Node {
        case constant(Bool)
        case test(Test)
        case not(Node)
        case and([Node])
        case or([Node])
        /// A condition that needs more than own values.
        case unknown
    }

    /// Shared, because a copy of a test takes longer than the test.
    private final class Test {
        let property: PropertyID
        let test: ElementTest

        package init(_ property: PropertyID, _ test: ElementTest) {
            self.property = property
            self.test = test
        }
    }

    private let root: Node

    /// - Parameter withMixed: whether mixed values decide, too: they must then have no links to objects, which may be
    ///   deleted.
    package init(_ predicate: BoundPredicate, withMixed: Bool = false) {
        root = Self.compile(predicate, withMixed)
    }

    /// Whether the values decide every condition in it.
    package var isComplete: Bool { Self.isComplete(root) }

    /// Whether an object with these values satisfies the predicate; nil where they do not decide.
    package func holds(_ value: (PropertyID) throws -> Value) rethrows -> Bool? { try Self.evaluate(root, value) }

    private static func compile(_ predicate: BoundPredicate, _ withMixed: Bool) -> Node {
        switch predicate {
        case .constant(let value): return .constant(value)
        case .comparison(let comparison):
            guard !comparison.isElementwise, case .path(let path) = comparison.left,
                let property = withMixed ? path.column : path.ownValue,
                let test = ElementTest(comparison)
            else { return .unknown }
            return .test(Test(property, test))
        case .not(let inner): return .not(compile(inner, withMixed))
        case .and(let parts): return .and(parts.map { compile($0, withMixed) })
        case .or(let parts): return .or(parts.map { compile($0, withMixed) })
        case .between, .fullText, .geoWithin: return .unknown
        }
    }

    private static func isComplete(_ node: Node) -> Bool {
        switch node {
        case .constant, .test: true
        case .unknown: false
        case .not(let inner): isComplete(inner)
        case .and(let parts), .or(let parts): parts.allSatisfy(isComplete)
        }
    }

    private static func evaluate(_ node: Node, _ value: (PropertyID) throws -> Value) rethrows -> Bool? {
        switch node {
        case .constant(let holds): return holds
        case .unknown: return nil
        case .test(let test): return test.test.holds(try value(test.property))
        case .not(let inner): return try evaluate(inner, value).map { !$0 }
        case .and(let parts):
            var isKnown = true
            for part in parts {
                guard let holds = try evaluate(part, value) else {
                    isKnown = false
                    continue
                }
                if !holds { return false }
            }
            return isKnown ? true : nil
        case .or(let parts):
            var isKnown = true
            for part in parts {
                guard let holds = try evaluate(part, value) else {
                    isKnown = false
                    continue
                }
                if holds { return true }
            }
            return isKnown ? false : nil
        }
    }
}

extension BoundPath {
    /// The property when the path is a single-valued property of the object itself that is not a link.
    package var ownValue: PropertyID? {
        guard let column, case .property(_, let type) = end, !type.isLink, !type.isMixed else { return nil }
        return column
    }
}
