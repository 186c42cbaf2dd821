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
            let place = try list.resolve(in: snapshot)
            if try place.kind(in: snapshot) == .list {
                try parameters.refuse(["index"], "A move requires its positions in the body.")
                return try edit(
                    request, snapshot, list, place,
                    EditReader(place, .list, snapshot.schema).move(request.json(folding: true)))
            }
        }
        let place = try target.resolve(in: snapshot)
        let reader = EditReader(place, try place.kind(in: snapshot), snapshot.schema)
        return try edit(request, snapshot, target, place, reader.addition(request.json(folding: true), at: index))
    }

    /// `PUT`: assigns an element, a map's key, or the whole property.
    package func putPlace(_ request: Request, _ path: PathParameters) throws -> Reply {
        _ = try QueryParameters(request, single: [])
        let snapshot = try context.snapshot(for: request)
        let target = try PropertyPath(path, snapshot.schema)
        let place = try target.resolve(in: snapshot)
        let reader = EditReader(place, try place.kind(in: snapshot), snapshot.schema)
        guard !place.property.type.isComputed else { throw Problem(computed: place) }
        return try edit(request, snapshot, target, place, reader.assignment(request.json(folding: true)))
    }

    /// `PATCH`: assigns properties of a link's target, or of the objects in a collection.
    package func patchPlace(_ request: Request, _ path: PathParameters) throws -> Reply {
        let parameters = try QueryParameters(request, single: BulkSelection.parameters)
        let snapshot = try context.snapshot(for: request)
        let target = try PropertyPath(path, snapshot.schema)
        let place = try target.resolve(in: snapshot)
        if place.isCollection { return try patchHeld(request, parameters, target, place, snapshot) }
        try parameters.refuse(BulkSelection.parameters, "'\(place.name)' is one object.")
        let object = try place.linkedObject(in: snapshot)
        guard let objectClass = snapshot.schema[object.classID] else { throw StoreError.unknownClass(object.classID) }
        let input = try ObjectInputReader(writing: snapshot).object(try request.json(folding: true), objectClass)
        let conditions = try Preconditions(request)
        return try context.write(for: request, preparedFrom: snapshot) { transaction in
            let place = try target.resolve(in: transaction)
            try conditions.check(place, transaction)
            let object = try place.linkedObject(in: transaction)
            guard object.classID == input.classID else { throw Problem(changedMeanwhile: place) }
            try ObjectWriter(transaction, .modified).assign(input, to: object.key)
            return try .edited(EditOutcome(modified: 1), place, conditions, transaction)
        }
    }

    /// `DELETE`: removes an element, empties a collection, or sets a single value to null.
    package func deletePlace(_ request: Request, _ path: PathParameters) throws -> Reply {
        let parameters = try QueryParameters(request, single: ["value"] + BulkSelection.parameters)
        let snapshot = try context.snapshot(for: request)
        let target = try PropertyPath(path, snapshot.schema)
        let place = try target.resolve(in: snapshot)
        guard !place.property.type.isComputed else { throw Problem(computed: place) }
        let selects = BulkSelection.parameters.contains { parameters[$0] != nil }
        if place.isCollection, selects, parameters["value"] == nil {
            return try removeHeld(request, parameters, target, place, snapshot)
        }
        try parameters.refuse(
            BulkSelection.parameters, "'\(place.name)' is one element, or 'value' already selects it.")
        guard let value = parameters["value"] else { return try edit(request, snapshot, target, place, .remove) }
        let reader = EditReader(place, try place.kind(in: snapshot), snapshot.schema)
        return try edit(request, snapshot, target, place, reader.removal(value))
    }

    /// Applies an edit that was parsed for `place` to the place at the end of the path at the time of the write.
    private func edit(
        _ request: Request, _ snapshot: any Snapshot, _ path: PropertyPath, _ place: ResolvedPropertyPath,
        _ edit: PropertyEdit
    ) throws -> Reply {
        let conditions = try Preconditions(request)
        let (classID, property) = (place.holderClass.id, place.property)
        return try context.write(for: request, preparedFrom: snapshot) { transaction in
            let place = try path.resolve(in: transaction)
            try conditions.check(place, transaction)
            guard place.holderClass.id == classID, place.property.id == property.id,
                place.property.type == property.type
            else { throw Problem(changedMeanwhile: place) }
            let outcome = try PropertyEditor(transaction).perform(edit, at: place)
            return try .edited(outcome, place, conditions, transaction)
        }
    }
}

extension QueryParameters {
    /// Throws 400 for parameters that do not apply to the place.
    fileprivate func refuse(_ names: [String], _ why: String) throws(Problem) {
        guard let name = names.first(where: { self[$0] != nil }) else { return }
        throw Problem(.parameterInvalid, "\(why) Leave '\(name)' out.", parameter: name)
    }
}

extension WriteResponse {
    /// Returns `{"version", "modified", "count"}`. Adds the object's new tag for a client that uses tags, because
    /// computing it reads the whole object.
    static func edited(
        _ outcome: EditOutcome, _ place: ResolvedPropertyPath, _ conditions: Preconditions,
        _ transaction: any WriteTransaction
    ) throws -> WriteResponse {
        let answer = ResponseText(capacity: 64)
        let json = answer.json
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
        return WriteResponse(answer, tagged: conditions.isEmpty ? nil : place.owner)
    }
}

extension ResolvedPropertyPath {
    /// Returns the target of the place's link. Throws 404 if there is none, and 422 if the place cannot have one.
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
