import JSONCoding
import ObjectCoding
import ObjectModel
import StoreContract
import WireProtocol

/// Finds elements and embedded objects that a client identifies by their earlier contents, and that may have moved.
extension TransactionRun {
    /// Returns an edit of a list at the position of the element that the client expects: the nearest equal one. Nil if
    /// there is none, so that nothing is edited; an insertion then uses the client's position, if the client allows it.
    func located(
        _ edit: BoundOperation.Edit, _ object: ObjectReference
    ) throws -> BoundOperation.Edit? {
        guard let known = edit.expected, edit.property.type.collection == .list else { return edit }
        var edit = edit
        let count = try transaction.elementCount(object, edit.property.id)
        switch edit.name {
        case .insert:
            let index = edit.index ?? count
            if let found = try nearest(to: index - 1, known, edit.property, object, count) {
                edit.index = found + 1
            } else if edit.isPlacedAnyway {
                edit.index = min(index, count)
            } else {
                return nil
            }
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

    /// Returns the object that is embedded in another at a step. Throws 404 if there is none; nil if the client said
    /// which object it expects, and that one was deleted.
    func embedded(_ object: ObjectReference, _ step: BoundOperation.Step) throws -> ObjectReference? {
        let property = step.property
        var value: Value?
        switch step.element {
        case nil: value = try transaction.value(object, property.id)
        case .mapKey(let key):
            if case .dictionary(let map) = try transaction.value(object, property.id) { value = map[key] }
        case .position(let index, let known):
            let count = try transaction.elementCount(object, property.id)
            var position = index
            if case .link(.embedded(let input))? = known {
                guard let found = try mostAlike(to: index, input, property, object, count) else { return nil }
                position = found
            }
            if position < count { value = try transaction.element(object, property.id, at: position) }
        }
        guard case .link(let key)? = value, let target = property.targetClass else {
            throw Problem(
                StoreError.Code.notFound, "There is no such embedded object in '\(property.name)'.",
                property: property.name
            ).inMember("in")
        }
        return ObjectReference(target, key)
    }

    /// Returns the position of an equal element that is nearest to `index`; of two equally near the earlier one.
    ///
    /// Cost: the elements up to there on both sides.
    private func nearest(
        to index: Int, _ known: ObjectInput.Content, _ property: PropertySchema, _ object: ObjectReference,
        _ count: Int
    ) throws -> Int? {
        let start = max(0, min(index, count - 1))
        for distance in 0..<max(count, 0) {
            for position in Set([start - distance, start + distance]).sorted() where (0..<count).contains(position) {
                let value = try transaction.element(object, property.id, at: position) ?? .null
                if try isSame(value, known) { return position }
            }
        }
        return nil
    }

    /// Returns the position of the embedded object in a list that has most properties in common with this one; of
    /// several the nearest to `index`. Nil if none has any.
    ///
    /// What is null or empty tells no objects apart: it is compared only between those that are alike otherwise. If all of
    /// it is, the object at `index` is meant, provided that it is as the client says.
    private func mostAlike(
        to index: Int, _ input: ObjectInput, _ property: PropertySchema, _ object: ObjectReference, _ count: Int
    ) throws -> Int? {
        guard input.saysSomething else {
            guard index < count, case .link(let key)? = try transaction.element(object, property.id, at: index),
                try isAlike(ObjectReference(input.classID, key), input)
            else { return nil }
            return index
        }
        var best: (likeness: Likeness, distance: Int, position: Int)?
        for (position, value) in try transaction.elements(object, property.id, 0..<count).enumerated() {
            guard case .link(let key) = value else { continue }
            let likeness = try likeness(of: ObjectReference(input.classID, key), input)
            let distance = abs(position - index)
            if likeness.telling == 0 { continue }
            if let best,
                (best.likeness.telling, best.likeness.all, -best.distance) >= (
                    likeness.telling, likeness.all, -distance
                )
            {
                continue
            }
            best = (likeness, distance, position)
        }
        return best?.position
    }

    /// The number of equal properties: those that tell objects apart, and all.
    private typealias Likeness = (telling: Int, all: Int)

    private func likeness(of object: ObjectReference, _ input: ObjectInput) throws -> Likeness {
        let objectClass = transaction.schema[object.classID]
        var result: Likeness = (0, 0)
        func add(_ isTelling: Bool) {
            result.all += 1
            if isTelling { result.telling += 1 }
        }
        for given in input.values where try transaction.value(object, given.key).means(given.value) {
            add(given.value.saysSomething)
        }
        for draft in input.drafts {
            guard let property = objectClass?[draft.property] else { continue }
            if try isSame(try transaction.value(object, property.id), draft.content) {
                add(draft.content.saysSomething)
            }
        }
        return result
    }

    /// Whether all given properties are equal.
    private func isAlike(_ object: ObjectReference, _ input: ObjectInput) throws -> Bool {
        try likeness(of: object, input).all == input.values.count + input.drafts.count
    }

    /// Whether a value equals the one that a client gives. For an embedded object only the given properties are
    /// compared.
    private func isSame(_ value: Value, _ known: ObjectInput.Content) throws -> Bool {
        switch (known, value) {
        case (.value(let known), _): return value.means(known)
        case (.link(.link(let link)), .link(let key)): return try names(link, ObjectReference(link.target, key))
        case (.link(.reference(let link)), .reference(let object)): return try names(link, object)
        case (.list(let known), .list(let elements)):
            return try known.count == elements.count && zip(elements, known).allSatisfy { try isSame($0, $1) }
        case (.set(let known), .set(let elements)):
            return try known.allSatisfy { one in try elements.contains { try isSame($0, one) } }
                && elements.allSatisfy { one in try known.contains { try isSame(one, $0) } }
        case (.map(let known), .dictionary(let map)):
            return try known.count == map.entries.count
                && known.allSatisfy { entry in try map[entry.key].map { try isSame($0, entry.value) } ?? false }
        case (.link(.embedded(let input)), .link(let key)):
            return try isAlike(ObjectReference(input.classID, key), input)
        default: return false
        }
    }

    private func names(_ link: ObjectInput.Link, _ object: ObjectReference) throws -> Bool {
        guard link.target == object.classID else { return false }
        switch link.reference {
        case .objectKey(let key): return key == object.key
        case .primaryKey(let key):
            return try transaction.key(of: link.target, primaryKey: key) == object.key
        case .object(let input):
            guard let property = transaction.schema[link.target]?.primaryKeyProperty else {
                return try isAlike(object, input)
            }
            return try transaction.key(of: link.target, primaryKey: input.values[property.id] ?? .null) == object.key
        }
    }
}

extension Value {
    /// Whether a client that received one of the values may write it as the other: numbers are compared by value, as in
    /// comparisons and sets, and sets in any order.
    fileprivate func means(_ other: Value) -> Bool {
        switch (self, other) {
        case (.list(let a), .list(let b)): a.count == b.count && zip(a, b).allSatisfy { $0.means($1) }
        case (.set(let a), .set(let b)):
            a.allSatisfy { one in b.contains { one.means($0) } } && b.allSatisfy { one in a.contains { one.means($0) } }
        case (.dictionary(let a), .dictionary(let b)):
            a.count == b.count && a.entries.allSatisfy { entry in b[entry.key].map { entry.value.means($0) } ?? false }
        case (.embedded, _), (_, .embedded): self == other
        default: Value.order(self, other) == 0
        }
    }
}

extension ObjectInput {
    /// Whether it names no property.
    var isEmpty: Bool { values.isEmpty && drafts.isEmpty }

    /// Whether a property of it can tell objects apart.
    fileprivate var saysSomething: Bool {
        values.contains { $0.value.saysSomething } || drafts.contains { $0.content.saysSomething }
    }
}

extension ObjectInput.Content {
    fileprivate var saysSomething: Bool {
        switch self {
        case .value(let value): value.saysSomething
        case .list(let elements), .set(let elements): !elements.isEmpty
        case .map(let entries): !entries.isEmpty
        default: true
        }
    }
}

extension Value {
    /// Whether it is neither null nor an empty collection.
    fileprivate var saysSomething: Bool {
        switch self {
        case .null: false
        case .list(let elements): !elements.isEmpty
        case .dictionary(let map): !map.entries.isEmpty
        default: true
        }
    }
}
