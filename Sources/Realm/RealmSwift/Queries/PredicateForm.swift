import Foundation
import ObjectModel
import QuerySyntax
import QueryLanguage

/// A condition before it is bound to a class.
indirect enum PredicateForm {
    case constant(Bool)
    /// A Cocoa predicate format, and the arguments for its `%@` and similar placeholders.
    case format(String, [Any])
    case predicate(NSPredicate)
    case expression(FoundationPredicate)
    case query(QueryNode)
    case and([PredicateForm])
    case or([PredicateForm])
    case not(PredicateForm)

    /// Throws a `RealmException` for a condition that the class or the query language does not support.
    func bound(to objectClass: ClassSchema, in realm: RLMRealm) throws -> BoundPredicate {
        let schema = realm.models.schema
        let bound = try bound(QueryBinder(schema: schema), objectClass, isOfValues: false, realm)
        try bound.forEachPart { part throws(RealmException) in
            // As in Realm; the gateway also accepts links to classes of their own.
            guard case .geoWithin(let search) = part, let target = search.links.last?.target.flatMap({ schema[$0] }),
                !target.isEmbedded
            else { return }
            throw RealmException(
                "A GEOWITHIN query can only operate on a link to an embedded class but '\(target.name)' is at the top level"
            )
        }
        return bound
    }

    /// Binds a condition on plain values. Throws as `bound(to:in:)` for a class.
    func bound(to element: ElementClass, in realm: RLMRealm?) throws -> BoundPredicate {
        try bound(
            QueryBinder(schema: element.schema, element: element), element.objectClass, isOfValues: true, realm)
    }

    private func bound(
        _ binder: QueryBinder, _ objectClass: ClassSchema, isOfValues: Bool, _ realm: RLMRealm?
    ) throws -> BoundPredicate {
        func bound(_ part: PredicateForm) throws -> BoundPredicate {
            try part.bound(binder, objectClass, isOfValues: isOfValues, realm)
        }
        switch self {
        case .constant(let value): return .constant(value)
        case .format(let text, let arguments):
            let format = FormatPlaceholders(text, arguments, isOfValues: isOfValues)
            return try Self.bound(format.format, format.arguments, binder, objectClass, realm)
        case .predicate(let predicate): return try bound(PredicateForm(predicate))
        case .expression(let expression): return try bound(.query(expression.node()))
        case .query(let node):
            let tree = try QueryTree(node.comparingElements, isOfValues: isOfValues)
            let values = try ArgumentReader(realm: realm).arguments(tree.arguments)
            do throws(QueryError) {
                return try tree.bound(to: objectClass, by: binder, values)
            } catch {
                // Errors quote the condition, so it is written as a format for them.
                return try Self.bound(tree.format, tree.arguments, binder, objectClass, realm)
            }
        case .and(let parts): return .and(try parts.map(bound))
        case .or(let parts): return .or(try parts.map(bound))
        case .not(let part): return .not(try bound(part))
        }
    }

    private static func bound(
        _ text: String, _ arguments: [Any], _ binder: QueryBinder, _ objectClass: ClassSchema, _ realm: RLMRealm?
    ) throws -> BoundPredicate {
        let values = try ArgumentReader(realm: realm).arguments(arguments)
        do throws(QueryError) {
            let query = try binder.bind(text, class: objectClass, arguments: values, dialect: .format)
            guard query.steps.isEmpty else {
                throw QueryError(.syntax, "it must not contain SORT, DISTINCT or LIMIT.", position: 0)
            }
            return query.predicate
        } catch {
            switch error.code {
            case .syntax, .tooDeep, .tooLong:
                throw RealmException("Unable to parse the format string \"\(text)\": \(error.message)")
            default: throw RealmException(error.message)
            }
        }
    }
}

extension LinkStep {
    /// The class that the step leads to.
    fileprivate var target: ClassID? {
        switch self {
        case .forward(_, let target), .elements(_, let target, _): target
        case .backward(let origin, _): origin
        case .rowSecurity(_, let stays): stays
        }
    }
}

/// Converts the arguments of a predicate for a realm.
struct ArgumentReader {
    /// Nil for a condition on values that belong to no realm.
    let realm: RLMRealm?

    /// Throws for values that stored values cannot be compared with.
    func arguments(_ given: [Any]) throws -> [QueryArgument] { try given.map(argument) }

    private func argument(_ given: Any) throws -> QueryArgument {
        guard let given = flattened(given) else { return .value(.null) }
        if let shape = given as? any RLMGeospatial { return .shape(shape.engineShape) }
        if let value = try self.value(given) { return value.isNested ? .collection(value) : .value(value) }
        guard let sequence = given as? any Sequence else { throw typeMismatch(given) }
        let elements = try elements(of: sequence)
        guard elements.contains(where: \.isNested) else { return .list(elements) }
        return .elements(elements.map { $0.isNested ? .collection($0) : .value($0) })
    }

    private func elements(of sequence: some Sequence) throws -> [Value] {
        try sequence.map { element in
            guard let element = flattened(element) else { return .null }
            guard let value = try self.value(element) else { throw typeMismatch(element) }
            return value
        }
    }

    private func typeMismatch(_ given: Any) -> RealmException {
        RealmException("A value of type '\(type(of: given))' cannot be an argument of a predicate.")
    }

    /// Returns nil if the argument is not a single value.
    private func value(_ given: Any) throws -> Value? {
        switch given {
        case let object as ObjectBase: return try reference(to: object)
        case let mixed as AnyRealmValue:
            if case .object(let object) = mixed { return try reference(to: object) }
            guard let realm else { return Conversion.value(of: mixed) }
            return try mixed._stored(by: _ObjectPersister(realm)).value
        case let custom as any _CustomPersistable:
            func persisted<C: _CustomPersistable>(_ value: C) -> Any { value.persistableValue }
            guard let value = flattened(persisted(custom)) else { return .null }
            return try self.value(value)
        default: return Conversion.natural(given)
        }
    }

    /// Returns a reference to the object; an unmanaged or deleted object equals nothing.
    private func reference(to object: ObjectBase) throws -> Value {
        let none = ObjectKey(-1)
        guard let realm else { throw typeMismatch(object) }
        guard let owner = object._realm, let reference = object._objectReference else {
            let objectClass = try realm.bound(type(of: object))
            return .reference(ObjectReference(objectClass.id, none))
        }
        guard owner.contains(object) else { return .reference(ObjectReference(reference.classID, none)) }
        guard owner === realm else { throw RealmException("Object must be from the Realm being queried") }
        return .reference(reference)
    }
}
