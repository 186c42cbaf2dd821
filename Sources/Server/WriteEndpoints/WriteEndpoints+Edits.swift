import HTTPMessages
package import HTTPServer
import JSONCoding
import ObjectCoding
import ObjectModel
import RequestHandling
import RequestParameters
import StoreContract
import WriteRequests

/// Edits of properties and their elements.
extension WriteEndpoints {
    /// `POST`: inserts elements into a list or set, or moves an element of a list.
    package func addElements(_ request: Request, _ path: PathParameters) throws -> Reply {
        let parameters = try QueryParameters(request, single: ["index"])
        let index = try parameters.integer("index", in: 0...Int.max - 1)
        let snapshot = try context.snapshot(for: request)
        let target = try PropertyPath(path, snapshot.schema)
        if target.steps.last == "move", let list = target.parent {
            let resolved = try list.resolve(in: snapshot)
            if try resolved.kind(in: snapshot) == .list {
                try parameters.refuse(["index"], "A move requires its positions in the body.")
                return try edit(
                    request, snapshot, list, resolved,
                    EditReader(resolved, .list, snapshot.schema).move(request.json(folding: true)))
            }
        }
        let resolved = try target.resolve(in: snapshot)
        let reader = EditReader(resolved, try resolved.kind(in: snapshot), snapshot.schema)
        return try edit(request, snapshot, target, resolved, reader.addition(request.json(folding: true), at: index))
    }

    /// `PUT`: assigns an element, a map's key, or the whole property.
    package func putProperty(_ request: Request, _ path: PathParameters) throws -> Reply {
        _ = try QueryParameters(request, single: [])
        let snapshot = try context.snapshot(for: request)
        let target = try PropertyPath(path, snapshot.schema)
        let resolved = try target.resolve(in: snapshot)
        let reader = EditReader(resolved, try resolved.kind(in: snapshot), snapshot.schema)
        guard !resolved.property.type.isComputed else { throw Problem(computed: resolved) }
        return try edit(request, snapshot, target, resolved, reader.assignment(request.json(folding: true)))
    }

    /// `PATCH`: assigns properties of a link's target, or of the objects in a collection.
    package func patchProperty(_ request: Request, _ path: PathParameters) throws -> Reply {
        let parameters = try QueryParameters(request, single: BulkSelection.parameters)
        let snapshot = try context.snapshot(for: request)
        let target = try PropertyPath(path, snapshot.schema)
        let resolved = try target.resolve(in: snapshot)
        if resolved.isCollection { return try patchPropertyObjects(request, parameters, target, resolved, snapshot) }
        try parameters.refuse(BulkSelection.parameters, "'\(resolved.name)' is one object.")
        let object = try resolved.linkedObject(in: snapshot)
        guard let objectClass = snapshot.schema[object.classID] else { throw StoreError.unknownClass(object.classID) }
        let input = try ObjectInputReader(writing: snapshot).object(try request.json(folding: true), objectClass)
        let conditions = try Preconditions(request)
        return try context.write(for: request, preparedFrom: snapshot) { transaction in
            let resolved = try target.resolve(in: transaction)
            try conditions.check(resolved, transaction)
            let object = try resolved.linkedObject(in: transaction)
            guard object.classID == input.classID else { throw Problem(changedMeanwhile: resolved) }
            try ObjectWriter(transaction, .modified).assign(input, to: object.key)
            return try .edited(EditOutcome(modified: 1), resolved, conditions, transaction)
        }
    }

    /// `DELETE`: removes an element, empties a collection, or sets a single value to null.
    package func deleteProperty(_ request: Request, _ path: PathParameters) throws -> Reply {
        let parameters = try QueryParameters(request, single: ["value"] + BulkSelection.parameters)
        let snapshot = try context.snapshot(for: request)
        let target = try PropertyPath(path, snapshot.schema)
        let resolved = try target.resolve(in: snapshot)
        guard !resolved.property.type.isComputed else { throw Problem(computed: resolved) }
        let selects = BulkSelection.parameters.contains { parameters[$0] != nil }
        if resolved.isCollection, selects, parameters["value"] == nil {
            return try removePropertyElements(request, parameters, target, resolved, snapshot)
        }
        try parameters.refuse(
            BulkSelection.parameters, "'\(resolved.name)' is one element, or 'value' already selects it.")
        guard let value = parameters["value"] else { return try edit(request, snapshot, target, resolved, .remove) }
        let reader = EditReader(resolved, try resolved.kind(in: snapshot), snapshot.schema)
        return try edit(request, snapshot, target, resolved, reader.removal(value))
    }

    /// Applies an edit that was parsed for `resolved` to what the path leads to at the time of the write.
    private func edit(
        _ request: Request, _ snapshot: any Snapshot, _ path: PropertyPath, _ resolved: ResolvedPropertyPath,
        _ edit: PropertyEdit
    ) throws -> Reply {
        let conditions = try Preconditions(request)
        let (classID, property) = (resolved.holderClass.id, resolved.property)
        return try context.write(for: request, preparedFrom: snapshot) { transaction in
            let resolved = try path.resolve(in: transaction)
            try conditions.check(resolved, transaction)
            guard resolved.holderClass.id == classID, resolved.property.id == property.id,
                resolved.property.type == property.type
            else { throw Problem(changedMeanwhile: resolved) }
            let outcome = try PropertyEditor(transaction).perform(edit, at: resolved)
            return try .edited(outcome, resolved, conditions, transaction)
        }
    }
}

extension QueryParameters {
    /// Throws 400 for parameters that do not apply to the path.
    fileprivate func refuse(_ names: [String], _ why: String) throws(Problem) {
        guard let name = names.first(where: { self[$0] != nil }) else { return }
        throw Problem(.parameterInvalid, "\(why) Leave '\(name)' out.", parameter: name)
    }
}

extension WriteResponse {
    /// Returns `{"version", "modified", "count"}`. Adds the object's new tag for a client that uses tags, because
    /// computing it reads the whole object.
    static func edited(
        _ outcome: EditOutcome, _ resolved: ResolvedPropertyPath, _ conditions: Preconditions,
        _ transaction: any WriteTransaction
    ) throws -> WriteResponse {
        let response = ResponseText(capacity: 64)
        let json = response.json
        json.beginObject()
        json.name("version")
        json.int(transaction.version.rawValue)
        json.name("modified")
        json.int(outcome.modified)
        if let count = outcome.count {
            json.name("count")
            json.int(count)
        }
        json.endObject()
        return WriteResponse(response, tagged: conditions.isEmpty ? nil : resolved.owner)
    }
}

extension ResolvedPropertyPath {
    /// Returns the target of the link at the end of the path. Throws 404 if there is none, and 422 if there cannot be
    /// one.
    func linkedObject(in context: any ReadContext) throws -> ObjectReference {
        guard let value = try value(in: context) else { throw try missing(in: context) }
        switch value {
        case .link(let key):
            if let target = property.targetClass { return ObjectReference(target, key) }
        case .reference(let reference): return reference
        case .null where property.type.isLink || property.type.isMixed:
            throw Problem(StoreError.Code.notFound, "'\(name)' is null. Assign an object with PUT.")
        default: break
        }
        throw Problem(
            StoreError.Code.invalidValue,
            "'\(name)' is not an object with properties. Assign the value with PUT.",
            property: property.name)
    }
}
