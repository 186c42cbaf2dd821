import HTTPMessages
import HTTPProblems
package import HTTPServer
import JSONCoding
import ObjectCoding
import ObjectModel
import QueryLanguage
package import RequestHandling
import RequestParameters
import StoreContract
import WireProtocol
import WriteRequests

/// Writes of objects, of what they hold, and of several of both as a transaction.
///
/// A write is prepared from a snapshot, before the writer's turn, and checked again within it.
package final class WriteEndpoints: Sendable {
    let context: GatewayContext

    package init(_ context: GatewayContext) { self.context = context }

    package func putObject(_ request: Request, _ path: PathParameters) throws -> Reply {
        let parameters = try QueryParameters(request, single: ["types"])
        let style = try parameters.choice("types", default: TypeStyle.plain)
        let snapshot = try context.snapshot(for: request)
        let object = try AddressedObject(path, snapshot)
        let conditions = try Preconditions(request)
        var body = try ObjectInputReader(writing: snapshot).object(
            try object.withoutObjectKey(try request.json(folding: true)), object.objectClass)
        try object.adoptKey(&body)
        let input = body
        return try context.write(for: request, preparedFrom: snapshot) { transaction in
            let writer = ObjectWriter(transaction, .modified)
            let found = try object.address.find(object.objectClass, in: transaction)
            try conditions.check(found, object, transaction)
            if let found {
                try writer.replace(found, with: input)
                return try WriteResponse(found, object.objectClass, isNew: false, style, transaction)
            }
            guard object.objectClass.primaryKey != nil else { throw object.address.notFound(object.objectClass) }
            let created = try writer.put(input)
            return try WriteResponse(created.key, object.objectClass, isNew: true, style, transaction)
        }
    }

    package func patchObject(_ request: Request, _ path: PathParameters) throws -> Reply {
        let parameters = try QueryParameters(request, single: ["types"])
        let style = try parameters.choice("types", default: TypeStyle.plain)
        let snapshot = try context.snapshot(for: request)
        let object = try AddressedObject(path, snapshot)
        let conditions = try Preconditions(request)
        let input = try ObjectInputReader(writing: snapshot).object(
            try object.withoutObjectKey(try request.json(folding: true)), object.objectClass)
        return try context.write(for: request, preparedFrom: snapshot) { transaction in
            guard let key = try object.address.find(object.objectClass, in: transaction) else {
                throw object.address.notFound(object.objectClass)
            }
            try conditions.check(key, object, transaction)
            try ObjectWriter(transaction, .modified).assign(input, to: key)
            return try WriteResponse(key, object.objectClass, isNew: false, style, transaction)
        }
    }

    package func deleteObject(_ request: Request, _ path: PathParameters) throws -> Reply {
        _ = try QueryParameters(request, single: [])
        let snapshot = try context.snapshot(for: request)
        let object = try AddressedObject(path, snapshot)
        let conditions = try Preconditions(request)
        return try context.write(for: request, preparedFrom: snapshot) { transaction in
            guard let key = try object.address.find(object.objectClass, in: transaction) else {
                throw object.address.notFound(object.objectClass)
            }
            try conditions.check(key, object, transaction)
            try transaction.delete(object.objectClass.id, key)
            return WriteResponse(.empty(204))
        }
    }

    package func createObjects(_ request: Request, _ path: PathParameters) throws -> Reply {
        let parameters = try QueryParameters(request, single: ["update", "types"])
        let style = try parameters.choice("types", default: TypeStyle.plain)
        let policy = try parameters.choice("update", default: UpdatePolicy.error)
        let snapshot = try context.snapshot(for: request)
        let objectClass = try snapshot.schema.named(path["class"] ?? "")
        guard policy == .error || objectClass.primaryKey != nil else {
            throw Problem(
                StoreError.Code.noPrimaryKey,
                "'\(objectClass.name)' does not have a primary key and can not be updated. Leave 'update' out.",
                parameter: "update")
        }
        let reader = ObjectInputReader(writing: snapshot)
        let body = try request.json(folding: true)
        switch body {
        case .array, .long:
            let rows = try GivenRows(body, reader, objectClass, policy)
            return try context.write(for: request, preparedFrom: snapshot) { transaction in
                try Self.createAll(rows, objectClass, policy, style, transaction)
            }
        case let one:
            let input = try reader.object(one, objectClass)
            return try context.write(for: request, preparedFrom: snapshot) { transaction in
                let written = try ObjectWriter(transaction, policy).put(input)
                return try WriteResponse(written.key, objectClass, isNew: written.isNew, style, transaction)
            }
        }
    }

    private static func createAll(
        _ rows: GivenRows, _ objectClass: ClassSchema, _ policy: UpdatePolicy, _ style: TypeStyle,
        _ transaction: any WriteTransaction
    ) throws -> WriteResponse {
        let writer = ObjectWriter(transaction, policy)
        var keys: [ObjectKey] = []
        var createdAny = false
        try rows.forEach { input in
            let written = try writer.put(input)
            keys.append(written.key)
            createdAny = createdAny || written.isNew
        }
        let response = ResponseText()
        response.json.beginObject()
        response.json.name("version")
        response.json.int(transaction.version.rawValue)
        response.json.name("items")
        response.json.beginArray()
        response.objects(keys, of: objectClass.id, style)
        response.json.endArray()
        response.json.endObject()
        return WriteResponse(status: createdAny || keys.isEmpty ? 201 : 200, response)
    }
}

/// The contents of each operation's result.
private enum ResultContent: String, CaseIterable {
    case keys, objects
}

extension WriteEndpoints {
    /// Runs several writes as one transaction.
    package func transact(_ request: Request, _ path: PathParameters) throws -> Reply {
        let parameters = try QueryParameters(request, single: ["include"])
        let includesObjects = try parameters.choice("include", default: ResultContent.keys) == .objects
        let snapshot = try context.snapshot(for: request)
        let queries = QueryReader(schema: snapshot.schema, limits: QueryLimits(context.settings.now))
        let reader = TransactionReader(snapshot.schema, maximum: context.settings.now.maximumTransaction) {
            filter, arguments, objectClass throws(Problem) in
            var parameters: [String: String] = [:]
            if let filter { parameters[ParameterName.filter] = filter }
            if let arguments { parameters[ParameterName.arguments] = String(decoding: arguments.bytes, as: UTF8.self) }
            return try queries.filter(QueryParameters(parameters), objectClass)
        }
        let input = try reader.read(try request.json(folding: true))
        return try context.write(for: request, preparedFrom: snapshot) { transaction in
            if let expected = input.expected, !expected.isSameState(as: transaction.before) {
                throw Problem(
                    .transactionVersionChanged,
                    "The store is at \(transaction.before), not at \(expected). Read the data again that the transaction depends on."
                )
            }
            let response = ResponseText(capacity: 128 + input.operations.count * 64)
            let json = response.json
            json.beginObject()
            json.name(TransactionAnswer.Field.version)
            json.int(transaction.version.rawValue)
            json.name(TransactionAnswer.Field.results)
            json.beginArray()
            var run = TransactionRun(transaction, reader, includesObjects: includesObjects, into: response)
            try run.perform(input.operations)
            json.endArray()
            json.endObject()
            return WriteResponse(response)
        }
    }
}
