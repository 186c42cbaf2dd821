import HTTPMessages
package import HTTPServer
import JSONCoding
import ObjectCoding
import ObjectModel
import RequestHandling
import RequestParameters
import StoreContract
import WriteRequests

/// Changes and deletions of all objects that a filter matches.
extension WriteEndpoints {
    package func patchCollection(_ request: Request, _ path: PathParameters) throws -> Reply {
        let parameters = try QueryParameters(request, single: BulkSelection.parameters)
        let snapshot = try context.snapshot(for: request)
        let objectClass = try snapshot.schema.named(path["class"] ?? "")
        let selection = try BulkSelection(parameters, objectClass, snapshot.schema, context.settings.now)
        let input = try ObjectInputReader(writing: snapshot).object(try request.json(folding: true), objectClass)
        let conditions = try Preconditions(request)
        return try context.write(for: request, preparedFrom: snapshot) { transaction in
            try conditions.checkState(transaction)
            let keys = try selection.keys(in: transaction)
            try ObjectWriter(transaction, .modified).assign(input, to: keys)
            return .bulk("modified", keys.count, transaction)
        }
    }

    package func deleteCollection(_ request: Request, _ path: PathParameters) throws -> Reply {
        let parameters = try QueryParameters(request, single: BulkSelection.parameters)
        let snapshot = try context.snapshot(for: request)
        let objectClass = try snapshot.schema.named(path["class"] ?? "")
        let selection = try BulkSelection(parameters, objectClass, snapshot.schema, context.settings.now)
        let conditions = try Preconditions(request)
        return try context.write(for: request, preparedFrom: snapshot) { transaction in
            try conditions.checkState(transaction)
            let keys = try selection.keys(in: transaction)
            try transaction.delete(objectClass.id, keys)
            return .bulk("deleted", keys.count, transaction)
        }
    }

    /// Assigns values to the objects in a property.
    func patchPropertyObjects(
        _ request: Request, _ parameters: QueryParameters, _ path: PropertyPath, _ resolved: ResolvedPropertyPath,
        _ snapshot: any Snapshot
    ) throws -> Reply {
        let target = try resolved.elementClass(snapshot.schema)
        let selection = try BulkSelection(parameters, target, snapshot.schema, context.settings.now)
        let input = try ObjectInputReader(writing: snapshot).object(try request.json(folding: true), target)
        let conditions = try Preconditions(request)
        return try context.write(for: request, preparedFrom: snapshot) { transaction in
            let resolved = try path.resolve(in: transaction)
            try conditions.check(resolved, transaction)
            guard resolved.property.targetClass == input.classID else { throw Problem(changedMeanwhile: resolved) }
            let keys = try selection.keys(in: transaction, of: resolved)
            try ObjectWriter(transaction, .modified).assign(input, to: keys)
            return .bulk("modified", keys.count, transaction)
        }
    }

    /// Removes the matching objects from a list, set or map. They stay in other collections; embedded objects are
    /// deleted.
    func removePropertyElements(
        _ request: Request, _ parameters: QueryParameters, _ path: PropertyPath, _ resolved: ResolvedPropertyPath,
        _ snapshot: any Snapshot
    ) throws -> Reply {
        let target = try resolved.elementClass(snapshot.schema)
        let selection = try BulkSelection(parameters, target, snapshot.schema, context.settings.now)
        let conditions = try Preconditions(request)
        return try context.write(for: request, preparedFrom: snapshot) { transaction in
            let resolved = try path.resolve(in: transaction)
            try conditions.check(resolved, transaction)
            guard resolved.property.targetClass == target.id else { throw Problem(changedMeanwhile: resolved) }
            let keys = Set(try selection.keys(in: transaction, of: resolved))
            let outcome = try PropertyEditor(transaction).remove(keys, from: resolved)
            return try .edited(outcome, resolved, conditions, transaction)
        }
    }
}

extension ObjectWriter {
    /// Assigns the same values to many objects of the input's class. Linked objects are looked up or created once; each
    /// object gets embedded objects of its own.
    func assign(_ input: ObjectInput, to keys: [ObjectKey]) throws {
        guard !keys.isEmpty else { return }
        let values = try resolved(input)
        for key in keys { try assign(values, to: ObjectReference(input.classID, key)) }
    }
}

extension ResolvedPropertyPath {
    /// The class of the objects in a collection property. Throws 400 for plain values.
    fileprivate func elementClass(_ schema: Schema) throws(Problem) -> ClassSchema {
        guard let target = property.targetClass.flatMap({ schema[$0] }) else {
            throw Problem(
                .pathNotACollection,
                "'\(name)' contains plain values, which a filter cannot select. Replace it with PUT, or remove elements one by one.",
                property: property.name)
        }
        return target
    }
}

extension WriteResponse {
    /// `{"version", "modified"}` or `{"version", "deleted"}`.
    fileprivate static func bulk(_ what: String, _ count: Int, _ transaction: any WriteTransaction) -> WriteResponse {
        let json = JSONWriter(capacity: 64)
        json.beginObject()
        json.name("version")
        json.int(transaction.version.rawValue)
        json.name(what)
        json.int(count)
        json.endObject()
        return WriteResponse(.json(json.bytes))
    }
}
