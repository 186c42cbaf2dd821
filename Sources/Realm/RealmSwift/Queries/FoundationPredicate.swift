import Foundation
import ObjectModel
import QuerySyntax
import QueryLanguage

/// A Foundation predicate and its translation into a query.
struct FoundationPredicate {
    let node: () throws -> QueryNode

    init<Element: RealmCollectionValue>(_ predicate: Predicate<Element>) {
        node = {
            let translation = PredicateTranslation()
            translation.bind(predicate.variable.key, to: QueryPath())
            return try translation.node(predicate.expression)
        }
    }
}

/// One translation, with the meaning of the predicate's variables.
final class PredicateTranslation {
    private var variables: [PredicateExpressions.VariableID: QueryPath] = [:]

    func bind(_ variable: PredicateExpressions.VariableID, to path: QueryPath) { variables[variable] = path }

    func path(of variable: PredicateExpressions.VariableID) throws -> QueryPath {
        guard let path = variables[variable] else { throw Self.untranslatable("an unsupported variable") }
        return path
    }

    func node(_ expression: Any) throws -> QueryNode {
        guard let expression = expression as? any QueryExpression else {
            throw Self.untranslatable(String("'\(Swift.type(of: expression))'".prefix(120)))
        }
        return try expression.queryNode(self)
    }

    func path(_ expression: Any, _ what: String) throws -> QueryPath {
        guard case .path(let path) = try node(expression) else { throw Self.untranslatable(what) }
        return path
    }

    static func untranslatable(_ what: String) -> RealmException {
        RealmException("The #Predicate has \(what), which Realm queries do not support.")
    }
}

/// An expression of a predicate that queries support.
protocol QueryExpression {
    func queryNode(_ translation: PredicateTranslation) throws -> QueryNode
}

extension PredicateExpressions.Variable: QueryExpression {
    func queryNode(_ translation: PredicateTranslation) throws -> QueryNode {
        .path(try translation.path(of: key))
    }
}

extension PredicateExpressions.Value: QueryExpression {
    func queryNode(_ translation: PredicateTranslation) throws -> QueryNode {
        .value(QueryValue.persisted(value))
    }
}

extension PredicateExpressions.NilLiteral: QueryExpression {
    func queryNode(_ translation: PredicateTranslation) throws -> QueryNode { .value(NSNull()) }
}

extension PredicateExpressions.KeyPath: QueryExpression {
    func queryNode(_ translation: PredicateTranslation) throws -> QueryNode {
        let root = try translation.node(root)
        switch root {
        case .subquery:
            // The result of a filter is an array.
            if let node = number(root) { return node }
        case .path(let path):
            if Root.Output.self is any RealmCollection.Type,
                let node = number(.path(path.followed(by: .operation("count"))))
            {
                return node
            }
            if let type = Root.Output.self as? any PersistableEnum.Type, type.isRawValue(keyPath) { return root }
            if let type = Root.Output.self as? ObjectBase.Type, let component = property(of: type) {
                return .path(path.followed(by: component))
            }
            if Root.Output.self == String.self, Output.self == Bool.self, keyPath == \String.isEmpty {
                return .comparison(root, .equal, .value(""))
            }
        default: break
        }
        throw PredicateTranslation.untranslatable("the key path '\(keyPath)'")
    }

    /// Returns the property of the key path; nil for one that is not stored.
    private func property(of type: ObjectBase.Type) -> QueryPath.Component? {
        let trace = _Trace()
        guard let object = trace.object(type) as? Root.Output else { return nil }
        _ = object[keyPath: keyPath]
        guard trace.names.count == 1, let name = trace.names.first else { return nil }
        let stored = (Output.self as? any _Persistable.Type)?._propertyType.type
        return .property(name, isCollection: stored.map { $0.isCollection || $0.isComputed } ?? false)
    }

    /// Translates `count` and `isEmpty` of a collection, given its number of elements; nil for other members.
    private func number(_ count: QueryNode) -> QueryNode? {
        if Output.self == Int.self { return count }
        if Output.self == Bool.self { return .comparison(count, .equal, .value(0)) }
        return nil
    }
}

extension PersistableEnum {
    fileprivate static func isRawValue(_ keyPath: AnyKeyPath) -> Bool { keyPath == \Self.rawValue }
}

// MARK: Logic

extension PredicateExpressions.Conjunction: QueryExpression {
    func queryNode(_ translation: PredicateTranslation) throws -> QueryNode {
        .and(try translation.node(lhs), try translation.node(rhs))
    }
}

extension PredicateExpressions.Disjunction: QueryExpression {
    func queryNode(_ translation: PredicateTranslation) throws -> QueryNode {
        .or(try translation.node(lhs), try translation.node(rhs))
    }
}

extension PredicateExpressions.Negation: QueryExpression {
    func queryNode(_ translation: PredicateTranslation) throws -> QueryNode {
        .not(try translation.node(wrapped))
    }
}

// MARK: Comparisons

extension PredicateExpressions.Equal: QueryExpression {
    func queryNode(_ translation: PredicateTranslation) throws -> QueryNode {
        try translation.comparison(lhs, .equal, rhs)
    }
}

extension PredicateExpressions.NotEqual: QueryExpression {
    func queryNode(_ translation: PredicateTranslation) throws -> QueryNode {
        try translation.comparison(lhs, .notEqual, rhs)
    }
}

extension PredicateExpressions.Comparison: QueryExpression {
    func queryNode(_ translation: PredicateTranslation) throws -> QueryNode {
        let comparison: ComparisonOperator =
            switch op {
            case .lessThan: .less
            case .lessThanOrEqual: .lessOrEqual
            case .greaterThan: .greater
            case .greaterThanOrEqual: .greaterOrEqual
            }
        return try translation.comparison(lhs, comparison, rhs)
    }
}

extension PredicateTranslation {
    func comparison(_ left: Any, _ comparison: ComparisonOperator, _ right: Any) throws -> QueryNode {
        let (a, b) = (try node(left), try node(right))
        // A condition compared with a Boolean constant.
        if comparison == .equal || comparison == .notEqual {
            for (condition, constant) in [(a, b), (b, a)] {
                if case .value(let value) = constant, let value = value as? Bool, condition.isCondition {
                    return value == (comparison == .equal) ? condition : .not(condition)
                }
            }
        }
        return .comparison(a, comparison, b)
    }
}

extension QueryNode {
    fileprivate var isCondition: Bool {
        switch self {
        case .comparison, .isIn, .between, .and, .or, .not, .geoWithin: true
        case .path, .value, .arithmetic, .subquery: false
        }
    }
}

extension PredicateExpressions.Arithmetic: QueryExpression {
    func queryNode(_ translation: PredicateTranslation) throws -> QueryNode {
        let operation: BoundArithmetic.Operation =
            switch op {
            case .add: .add
            case .subtract: .subtract
            case .multiply: .multiply
            }
        return .arithmetic(try translation.node(lhs), operation, try translation.node(rhs))
    }
}

// MARK: Optionals

extension PredicateExpressions.OptionalFlatMap: QueryExpression {
    func queryNode(_ translation: PredicateTranslation) throws -> QueryNode {
        translation.bind(variable.key, to: try translation.path(wrapped, "an optional that is not a property"))
        return try translation.node(transform)
    }
}

extension PredicateExpressions.ForcedUnwrap: QueryExpression {
    func queryNode(_ translation: PredicateTranslation) throws -> QueryNode { try translation.node(inner) }
}

extension PredicateExpressions.NilCoalesce: QueryExpression {
    /// For conditions: the constant replaces an unknown result.
    func queryNode(_ translation: PredicateTranslation) throws -> QueryNode {
        let condition = try translation.node(lhs)
        guard case .value(let value) = try translation.node(rhs), let value = value as? Bool else {
            throw PredicateTranslation.untranslatable("'??' with a value other than true or false")
        }
        switch condition {
        case .path:
            return .comparison(condition, value ? .notEqual : .equal, .value(!value))
        default:
            guard !value else { throw PredicateTranslation.untranslatable("'?? true' behind a condition") }
            return condition
        }
    }
}

// MARK: Collections

extension PredicateExpressions.SequenceContains: QueryExpression {
    func queryNode(_ translation: PredicateTranslation) throws -> QueryNode {
        let (collection, element) = (try translation.node(sequence), try translation.node(element))
        return .isIn(element, collection)
    }
}

extension PredicateExpressions.SequenceContainsWhere: QueryExpression {
    func queryNode(_ translation: PredicateTranslation) throws -> QueryNode {
        let path = try translation.path(sequence, "a condition on a sequence that is not a property")
        translation.bind(variable.key, to: path)
        return .comparison(.subquery(try translation.node(test), in: path), .greater, .value(0))
    }
}

extension PredicateExpressions.SequenceAllSatisfy: QueryExpression {
    func queryNode(_ translation: PredicateTranslation) throws -> QueryNode {
        let path = try translation.path(sequence, "a condition on a sequence that is not a property")
        translation.bind(variable.key, to: path)
        return .comparison(.subquery(.not(try translation.node(test)), in: path), .equal, .value(0))
    }
}

extension PredicateExpressions.Filter: QueryExpression {
    func queryNode(_ translation: PredicateTranslation) throws -> QueryNode {
        let path = try translation.path(sequence, "a filter of a sequence that is not a property")
        translation.bind(variable.key, to: path)
        return .subquery(try translation.node(filter), in: path)
    }
}

extension PredicateExpressions.SequenceMinimum: QueryExpression {
    func queryNode(_ translation: PredicateTranslation) throws -> QueryNode {
        .path(try translation.path(elements, "a minimum of a value that is not a property").aggregated("min"))
    }
}

extension PredicateExpressions.SequenceMaximum: QueryExpression {
    func queryNode(_ translation: PredicateTranslation) throws -> QueryNode {
        .path(try translation.path(elements, "a maximum of a value that is not a property").aggregated("max"))
    }
}

extension PredicateExpressions.CollectionIndexSubscript: QueryExpression {
    func queryNode(_ translation: PredicateTranslation) throws -> QueryNode {
        let path = try translation.path(wrapped, "a subscript of a value that is not a property")
        guard case .value(let position) = try translation.node(index) else {
            throw PredicateTranslation.untranslatable("a subscript that is not a constant")
        }
        return .path(path.followed(by: .index(position)))
    }
}

extension PredicateExpressions.RangeExpressionContains: QueryExpression {
    func queryNode(_ translation: PredicateTranslation) throws -> QueryNode {
        let element = try translation.node(element)
        guard let bounds = range as? any RangeOfExpressions else {
            guard case .value(let value) = try translation.node(range) else {
                throw PredicateTranslation.untranslatable("a range that is not a constant")
            }
            switch value {
            case let range as any ClosedBounds: return .between(element, range.bounds.0, range.bounds.1)
            case let range as any HalfOpenBounds:
                return .and(
                    .comparison(element, .greaterOrEqual, .value(range.bounds.0)),
                    .comparison(element, .less, .value(range.bounds.1)))
            default: throw PredicateTranslation.untranslatable("a range of an unsupported type")
            }
        }
        let (lower, upper) = (try translation.node(bounds.lowest), try translation.node(bounds.highest))
        return .and(
            .comparison(element, .greaterOrEqual, lower),
            .comparison(element, bounds.isClosed ? .lessOrEqual : .less, upper))
    }
}

private protocol RangeOfExpressions {
    var lowest: Any { get }
    var highest: Any { get }
    var isClosed: Bool { get }
}

extension PredicateExpressions.ClosedRange: RangeOfExpressions {
    fileprivate var lowest: Any { lower }
    fileprivate var highest: Any { upper }
    fileprivate var isClosed: Bool { true }
}

extension PredicateExpressions.Range: RangeOfExpressions {
    fileprivate var lowest: Any { lower }
    fileprivate var highest: Any { upper }
    fileprivate var isClosed: Bool { false }
}

private protocol ClosedBounds { var bounds: (Any, Any) { get } }
extension ClosedRange: ClosedBounds { fileprivate var bounds: (Any, Any) { (lowerBound, upperBound) } }
private protocol HalfOpenBounds { var bounds: (Any, Any) { get } }
extension Range: HalfOpenBounds { fileprivate var bounds: (Any, Any) { (lowerBound, upperBound) } }

// MARK: Strings

extension PredicateExpressions.CollectionContainsCollection: QueryExpression {
    func queryNode(_ translation: PredicateTranslation) throws -> QueryNode {
        try translation.comparison(base, .contains, other)
    }
}

extension PredicateExpressions.SequenceStartsWith: QueryExpression {
    func queryNode(_ translation: PredicateTranslation) throws -> QueryNode {
        try translation.comparison(base, .beginsWith, prefix)
    }
}
