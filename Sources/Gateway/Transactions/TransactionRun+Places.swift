import JSONCoding
import ObjectModel
import StoreContract

/// Elements and embedded objects that are meant as a client knew them, which may stand elsewhere by now.
extension TransactionRun {
    private var source: ObjectSource { .transaction(transaction) }

    /// An edit of a list at the position where the element is that the client meant: the nearest one that is as it knew
    /// it. Nil when there is none, so that there is nothing to edit; what is put in then goes where the client said.
    func located(
        _ edit: TransactionOperation.Edit, _ object: ObjectReference
    ) throws -> TransactionOperation.Edit? {
        guard let known = edit.known, edit.property.type.collection == .list else { return edit }
        var edit = edit
        let count = try source.elementCount(object, edit.property.id)
        switch edit.name {
        case .insert:
            let index = edit.index ?? count
            let found = try nearest(to: index - 1, known, edit.property, object, count)
            edit.index = found.map { $0 + 1 } ?? min(index, count)
        case .move:
            guard let found = try nearest(to: edit.index ?? 0, known, edit.property, object, count) else { return nil }
            edit.index = found
            edit.target = min(edit.target ?? 0, count - 1)
        default:
            let index = edit.element.flatMap { Int($0) } ?? 0
            guard let found = try nearest(to: index, known, edit.property, object, count) else { return nil }
            edit.element = String(found)
        }
        return edit
    }

    /// The object that is embedded in another at a step. Throws 404 for none.
    func embedded(_ object: ObjectReference, _ step: TransactionOperation.Step) throws -> ObjectReference {
        let property = step.property
        var value: Value?
        switch step.element {
        case nil: value = try source.value(object, property.id)
        case .mapKey(let key):
            if case .dictionary(let map) = try source.value(object, property.id) { value = map[key] }
        case .position(let index, let known):
            let count = try source.elementCount(object, property.id)
            let found = try known.flatMap { try mostAlike(to: index, $0, property, object, count) }
            if found ?? index < count { value = try source.element(object, property.id, at: found ?? index) }
        }
        guard case .link(let key)? = value, let target = property.targetClass else {
            throw Problem(
                404, StoreError.Code.notFound.rawValue, "There is no such embedded object in '\(property.name)'.",
                property: property.name
            ).inMember("in")
        }
        return ObjectReference(target, key)
    }

    /// The position of an element that is like this one, as near to `index` as there is one; of two the earlier.
    ///
    /// Cost: the elements up to there on both sides.
    private func nearest(
        to index: Int, _ known: ObjectInput.Content, _ property: PropertySchema, _ object: ObjectReference,
        _ count: Int
    ) throws -> Int? {
        let start = max(0, min(index, count - 1))
        for distance in 0..<max(count, 0) {
            for position in Set([start - distance, start + distance]).sorted() where (0..<count).contains(position) {
                let value = try source.element(object, property.id, at: position) ?? .null
                if try isSame(value, known, property) { return position }
            }
        }
        return nil
    }

    /// The position of the embedded object in a list that has most in common with this one; of several the nearest to
    /// `index`. Nil when none has anything.
    private func mostAlike(
        to index: Int, _ known: ObjectInput.Content, _ property: PropertySchema, _ object: ObjectReference,
        _ count: Int
    ) throws -> Int? {
        guard case .embedded(let input) = known else { return nil }
        var best: (likeness: Int, distance: Int, position: Int)?
        for (position, value) in try transaction.elements(object.classID, object.key, property.id, 0..<count)
            .enumerated()
        {
            guard case .link(let key) = value else { continue }
            let likeness = try likeness(of: ObjectReference(input.classID, key), input)
            let distance = abs(position - index)
            if likeness == 0 { continue }
            if let best, (best.likeness, -best.distance) >= (likeness, -distance) { continue }
            best = (likeness, distance, position)
        }
        return best?.position
    }

    /// How many of the given properties are so.
    private func likeness(of object: ObjectReference, _ input: ObjectInput) throws -> Int {
        let objectClass = transaction.schema[object.classID]
        var result = 0
        for (id, known) in input.values where try source.value(object, id) == known { result += 1 }
        for draft in input.drafts {
            guard let property = objectClass?[draft.property] else { continue }
            result += try isSame(try source.value(object, property.id), draft.content, property) ? 1 : 0
        }
        return result
    }

    /// Whether a value is what a client calls it. Of an embedded object only the properties that are given count.
    private func isSame(_ value: Value, _ known: ObjectInput.Content, _ property: PropertySchema) throws -> Bool {
        switch (known, value) {
        case (.value(let known), _): return known == value
        case (.link(let link), .link(let key)): return try names(link, ObjectReference(link.target, key))
        case (.reference(let link), .reference(let object)): return try names(link, object)
        case (.list(let known), .list(let elements)), (.set(let known), .set(let elements)):
            return try known.count == elements.count
                && zip(elements, known).allSatisfy { try isSame($0, $1, property) }
        case (.map(let known), .dictionary(let map)):
            return try known.count == map.entries.count
                && known.allSatisfy { entry in try map[entry.key].map { try isSame($0, entry.value, property) } ?? false
                }
        case (.embedded(let input), .link(let key)):
            let given = input.values.count + input.drafts.count
            return try likeness(of: ObjectReference(input.classID, key), input) == given
        default: return false
        }
    }

    private func names(_ link: ObjectInput.Link, _ object: ObjectReference) throws -> Bool {
        guard link.target == object.classID else { return false }
        switch link.way {
        case .objectKey(let key): return key == object.key
        case .primaryKey(let key):
            return try transaction.key(of: link.target, primaryKey: key) == object.key
        case .object: return false
        }
    }
}
