import HTTPMessages
package import HTTPServer
import JSONCoding
import ObjectCoding
import ObjectModel
import QueryLanguage
import RequestHandling
import RequestParameters
import StoreContract
import WriteRequests

/// Assigns one value to a property of many objects: `PUT /v1/values/{collection}?key=age`.
private struct ValueAssignment: Sendable {
    let query: BoundQuery
    let input: ObjectInput
    let condition: EntityTags?

    /// Assigns the value, and returns the number of objects. These are the objects of the collection at the beginning,
    /// even if they stop matching its filter meanwhile. Throws the errors of the store, and 412.
    func perform(in transaction: any WriteTransaction) throws -> Int {
        if let condition, !condition.contains(EntityTag(transaction.before)) {
            throw Problem(
                StoreError.Code.preconditionFailed,
                "The store has changed since the collection was read. Read it again.", parameter: "If-Match")
        }
        // An object may occur several times in a list.
        var seen: Set<ObjectKey> = []
        let keys = try transaction.select(query, .all).filter { seen.insert($0).inserted }
        let writer = ObjectWriter(transaction, .modified)
        guard let first = keys.first else { return 0 }
        try writer.set(input, of: first)
        // A new object in place of a link is created once, and all objects link to it; an embedded object is created
        // for each.
        if let draft = input.drafts.first, draft.content.firstNewObject != nil, !draft.content.isOwned {
            let value = try transaction.value(query.classID, first, draft.property)
            for key in keys.dropFirst() { try transaction.set(query.classID, key, [draft.property: value]) }
        } else {
            for key in keys.dropFirst() { try writer.set(input, of: key) }
        }
        return keys.count
    }
}

extension ObjectInput.Content {
    /// Whether the value contains objects that the property will own.
    fileprivate var isOwned: Bool {
        let owned: Bool? = firstLink { if case .embedded = $0 { true } else { nil } }
        return owned == true
    }
}

extension WriteEndpoints {
    /// Assigns a property of all objects of a class that a query matches.
    package func putValues(_ request: Request, _ path: PathParameters) throws -> Reply {
        try putValues(request, try CollectionTarget(class: path, try context.snapshot(for: request)))
    }

    /// Assigns a property of the target objects of one object's property.
    package func putPropertyValues(_ request: Request, _ path: PathParameters) throws -> Reply {
        let property = try PropertyCollection(path, try context.snapshot(for: request))
        guard let collection = try CollectionTarget(property) else {
            throw Problem(
                .valuesValues,
                "'\(property.holderClass.name).\(property.schema.name)' contains plain values, which have no properties.",
                property: property.schema.name)
        }
        return try putValues(request, collection)
    }

    private func putValues(_ request: Request, _ collection: CollectionTarget) throws -> Reply {
        let parameters = try QueryParameters(request, single: QueryReader.parameters + ["key", "limit", "all"])
        let objectClass = collection.objectClass
        guard let name = parameters["key"] else {
            throw Problem(.parameterMissing, "Give 'key', the name of the property.", parameter: "key")
        }
        let property = try objectClass.named(name, parameter: "key")
        guard property.name != objectClass.primaryKey else {
            throw Problem(
                StoreError.Code.keyImmutable,
                "'\(objectClass.name).\(name)' is the primary key, which cannot change.", parameter: "key",
                property: name)
        }
        let all = try parameters.flag("all")
        guard all || collection.scope != .all || parameters["filter"] != nil else {
            throw Problem(
                .parameterMissing,
                "This sets '\(name)' of every \(objectClass.name). Select them with 'filter', or all of them with all=true.",
                parameter: "all")
        }
        var query = try collection.reader(context.settings.now).query(parameters, objectClass, in: collection.scope)
        if let limit = try parameters.integer("limit", in: 0...Int.max) { query.steps.append(.limit(limit)) }
        var input = ObjectInput(objectClass.id)
        try ObjectInputReader(schema: collection.snapshot.schema).read(
            try request.json(folding: true), property, of: objectClass, into: &input)
        let assignment = ValueAssignment(
            query: query, input: input, condition: try EntityTags(request, "If-Match"))
        return try context.write(for: request, preparedFrom: collection.snapshot) { transaction in
            let count = try assignment.perform(in: transaction)
            let json = JSONWriter(capacity: 64)
            json.beginObject()
            json.name("version")
            json.int(transaction.version.rawValue)
            json.name("modified")
            json.int(count)
            json.endObject()
            return WriteResponse(.json(json.bytes))
        }
    }
}
