import ObjectModel
import QueryOperators
import QueryLanguage
import QuerySyntax
import StoreContract
import StoreTesting
import TestBasics

/// A random condition on groups, and what it means in the plainest words.
struct RandomCondition: CustomStringConvertible {
    private indirect enum Node {
        case comparison(GroupArrangement.Term, ComparisonOperator, Value)
        case not(Node)
        case and(Node, Node)
        case or(Node, Node)
    }

    let condition: GroupCondition
    let description: String
    private let root: Node

    private static let operators: [ComparisonOperator] = [
        .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual,
    ]

    /// Nil if the values that were drawn do not fit the comparisons.
    ///
    /// - Parameter groups: some that there are, so that conditions divide them.
    init?(
        _ paths: [BoundPath], _ requests: [AggregateRequest], _ groups: [AggregateGroup], _ random: inout SeededRandom
    ) {
        let terms: [(GroupArrangement.Term, PropertyType)] =
            paths.enumerated().map { (.key($0.offset), $0.element.valueType) } + [(.count, PropertyType(.int))]
            + requests.enumerated().map { (.result($0.offset), $0.element.resultType) }
        var arguments: [Value] = []
        func node(_ depth: Int, _ random: inout SeededRandom) -> (Node, String)? {
            switch depth == 0 ? 0 : random.below(5) {
            case 1:
                guard let (inner, text) = node(depth - 1, &random) else { return nil }
                return (.not(inner), "NOT (\(text))")
            case 2, 3:
                guard let (one, text) = node(depth - 1, &random), let (other, more) = node(depth - 1, &random)
                else { return nil }
                return random.oneIn(2)
                    ? (.and(one, other), "(\(text)) AND (\(more))") : (.or(one, other), "(\(text)) || (\(more))")
            default:
                let index = random.below(terms.count)
                let (term, type) = terms[index]
                guard let operation = random.pick(Self.operators) else { return nil }
                let known = random.oneIn(4) ? nil : random.pick(groups).map { Self.value(of: term, $0) }
                let value = known ?? RandomValues.value(of: type, &random)
                arguments.append(value)
                return (
                    .comparison(term, operation, value), "t\(index) \(operation.rawValue) $\(arguments.count - 1)"
                )
            }
        }
        guard let (root, text) = node(2, &random) else { return nil }
        let named = terms.enumerated().map { GroupClass.Term("t\($0.offset)", $0.element.1) }
        guard let predicate = try? GroupClass(named).bind(text, arguments: arguments.map { .value($0) }) else {
            return nil
        }
        condition = GroupCondition(predicate, on: terms.map(\.0))
        description = "\(text) \(arguments)"
        self.root = root
    }

    func holds(_ group: AggregateGroup) -> Bool { Self.holds(root, group) }

    private static func holds(_ node: Node, _ group: AggregateGroup) -> Bool {
        switch node {
        case .comparison(let term, let operation, let constant):
            let value = value(of: term, group)
            return switch operation {
            case .equal: ReferenceComparison.isEqual(value, toConstant: constant)
            case .notEqual: !ReferenceComparison.isEqual(value, toConstant: constant)
            default: ReferenceComparison.holds(value, operation, constant)
            }
        case .not(let inner): return !holds(inner, group)
        case .and(let one, let other): return holds(one, group) && holds(other, group)
        case .or(let one, let other): return holds(one, group) || holds(other, group)
        }
    }

    private static func value(of term: GroupArrangement.Term, _ group: AggregateGroup) -> Value {
        switch term {
        case .key(let index): group.key[index]
        case .count: .int(Int64(group.count))
        case .result(let index): group.results[index]
        }
    }
}
