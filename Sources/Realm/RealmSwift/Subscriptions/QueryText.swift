import Foundation
import ObjectModel
import QuerySyntax
import QueryLanguage
import StoreContract

/// Queries in the form that the gateway accepts.
enum QueryText {
    /// Returns a condition on a class's objects as query text with stored names. Equal conditions give equal text.
    /// Throws for conditions that have no text form, and for classes that cannot have subscriptions.
    static func filter(_ predicate: BoundPredicate, of boundClass: BoundClass, in realm: RLMRealm) throws -> String {
        guard boundClass.primaryKey != nil else {
            throw RealmException(
                "Class '\(boundClass.name)' has no primary key, which subscriptions need to identify objects.")
        }
        let schema = try realm.snapshot.schema
        var query = BoundQuery(classID: boundClass.id)
        query.predicate = try Naming(realm: realm, schema: schema).naming(predicate)
        guard let text = QueryPrinter.text(query, schema: schema) else {
            throw RealmException("The query cannot be sent to the gateway: the query language cannot express it.")
        }
        return text
    }
}

/// Names objects by their primary keys, which both sides know.
private struct Naming {
    let realm: RLMRealm
    let schema: StoredSchema

    func naming(_ predicate: BoundPredicate) throws -> BoundPredicate {
        try predicate.mappingConstants { operand in
            switch operand {
            case .constant(.reference(let object)):
                return .objects(ObjectConstants([try name(of: object)], isList: false))
            case .list(let values) where values.contains(where: \.isReference):
                let elements = try values.map { value -> ObjectConstants.Element in
                    if case .reference(let object) = value { try name(of: object) } else { .value(value) }
                }
                return .objects(ObjectConstants(elements, isList: true))
            default: return operand
            }
        }
    }

    private func name(of object: ObjectReference) throws -> ObjectConstants.Element {
        guard let objectClass = schema[object.classID], let primaryKey = objectClass.primaryKeyProperty else {
            throw RealmException("The query names an object without a primary key, which the gateway does not know.")
        }
        guard try realm.exists(object) else {
            throw RealmException("The query names an object that does not exist.")
        }
        return .object(object.classID, primaryKey: try realm.value(object.classID, object.key, primaryKey.id))
    }
}

extension Value {
    fileprivate var isReference: Bool {
        if case .reference = self { return true }
        return false
    }
}
