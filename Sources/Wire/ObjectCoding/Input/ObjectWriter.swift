import Basics
import JSONCoding
package import ObjectModel
package import StoreContract
import WireProtocol

/// Stores objects within a write transaction. All methods throw the errors of the transaction, and problems with the
/// location of a link whose target does not exist.
package struct ObjectWriter {
    package let transaction: any WriteTransaction
    private let policy: UpdatePolicy
    /// How lists that are given as a whole are matched: observers receive the same changes for every method and
    /// policy.
    static let matching = ListMatching.fewestEdits

    package init(_ transaction: any WriteTransaction, _ policy: UpdatePolicy) {
        self.transaction = transaction
        self.policy = policy
    }

    /// The effect on one object.
    package struct Outcome {
        package let key: ObjectKey
        package let isNew: Bool
        /// Whether anything was assigned to an existing object.
        package let isChanged: Bool
    }

    /// Creates an object, or updates the one with its primary key according to the policy.
    package func put(_ input: ObjectInput) throws -> Outcome {
        let objectClass = try objectClass(input.classID)
        if let property = objectClass.primaryKeyProperty {
            guard let primaryKey = input.values[property.id] ?? (property.type.isOptional ? .null : nil) else {
                throw Problem(
                    StoreError.Code.missingValue,
                    "\(objectClass.name.withCapitalArticle) needs its primary key '\(property.name)'.",
                    property: property.name)
            }
            if let key = try transaction.key(of: objectClass.id, primaryKey: primaryKey) {
                guard policy != .error else { throw duplicate(primaryKey, objectClass) }
                let isChanged = try set(input, of: key, onlyDifferent: policy == .modified)
                return Outcome(key: key, isNew: false, isChanged: isChanged)
            }
        }
        return Outcome(key: try create(input, objectClass), isNew: true, isChanged: false)
    }

    /// Creates an object without looking for one with its primary key; the store rejects a duplicate.
    package func create(_ input: ObjectInput) throws -> ObjectKey {
        if input.drafts.isEmpty { return try transaction.create(input.classID, given: input.values) }
        return try create(input, try objectClass(input.classID))
    }

    /// Assigns the given properties, or only those that differ. Returns false if nothing was assigned.
    @discardableResult
    package func set(_ input: ObjectInput, of key: ObjectKey, onlyDifferent: Bool = false) throws -> Bool {
        var values = input.values.dictionary
        for draft in input.drafts {
            values[draft.property] =
                try linkedObject(draft, of: key, input.classID, onlyDifferent) ?? resolve(draft.content)
        }
        // The assignments follow one by one, and an invalid value must leave nothing assigned.
        if onlyDifferent { try check(values, of: key, try objectClass(input.classID)) }
        return try transaction.set(input.classID, key, values, onlyDifferent: onlyDifferent, Self.matching)
    }

    /// Assigns properties with as few edits of collections as possible; see `reassign`.
    package func assign(_ input: ObjectInput, to key: ObjectKey) throws {
        try assign(try resolved(input), to: ObjectReference(input.classID, key))
    }

    /// Returns all values of an input with resolved links, and stores the objects given instead of links.
    package func resolved(_ input: ObjectInput) throws -> [PropertyID: Value] {
        var values = input.values.dictionary
        for draft in input.drafts { values[draft.property] = try resolve(draft.content) }
        return values
    }

    package func assign(_ values: [PropertyID: Value], to object: ObjectReference) throws {
        let objectClass = try objectClass(object.classID)
        let collections = values.filter { objectClass[$0.key]?.type.isCollection == true }
        let others = collections.isEmpty ? values : values.filter { collections[$0.key] == nil }
        if !others.isEmpty { try transaction.set(object.classID, object.key, others) }
        for (id, value) in collections.sorted(by: { $0.key < $1.key }) {
            guard let property = objectClass[id] else { continue }
            _ = try reassign(property, of: object, to: value)
        }
    }

    private func check(_ values: [PropertyID: Value], of key: ObjectKey, _ objectClass: ClassSchema) throws {
        let rules = ValueRules(transaction.schema) { try transaction.exists($0.classID, $0.key) }
        for (id, value) in values {
            guard let property = objectClass[id] else { continue }
            try rules.check(value, for: property, of: objectClass) { owned in
                try transaction.value(objectClass.id, key, id).linkedKeys.contains(owned)
            }
        }
    }

    /// Assigns the given properties, and resets all others except the primary key to their initial values.
    package func replace(_ key: ObjectKey, with input: ObjectInput) throws {
        let objectClass = try objectClass(input.classID)
        var whole = input
        let drafted = Set(input.drafts.map(\.property))
        for property in objectClass.storedProperties
        where whole.values[property.id] == nil && !drafted.contains(property.id)
            && property.name != objectClass.primaryKey
        {
            whole.values[property.id] = property.initialValue
        }
        try assign(whole, to: key)
    }

    /// Returns a value with resolved links, and the links whose target does not exist; with any of these the value is
    /// unusable.
    package func resolve(_ draft: ObjectInput.Draft) throws -> (value: Value, missing: [ObjectInput.Link]) {
        var missing: [ObjectInput.Link] = []
        let value = try resolve(draft.content, &missing)
        return (value, missing)
    }

    private func create(_ input: ObjectInput, _ objectClass: ClassSchema) throws -> ObjectKey {
        var values = input.values
        // Values that link to the new object itself, and all after them, which may link to the objects that those
        // create.
        var afterwards: [ObjectInput.Draft] = []
        let primaryKey = objectClass.primaryKeyProperty.flatMap { input.values[$0.id] }
        for draft in input.drafts {
            let waits = primaryKey.map { draft.content.links(to: input.classID, $0) } ?? false
            if waits || !afterwards.isEmpty {
                afterwards.append(draft)
            } else {
                values[draft.property] = try resolve(draft.content)
            }
        }
        let key = try transaction.create(input.classID, given: values)
        if !afterwards.isEmpty {
            var rest: [PropertyID: Value] = [:]
            for draft in afterwards { rest[draft.property] = try resolve(draft.content) }
            try transaction.set(input.classID, key, rest)
        }
        return key
    }

    // MARK: Links

    /// Handles an object without a primary key given in place of a link: updates the present target under the policy
    /// `modified`, else creates a new object. Nil for other values.
    private func linkedObject(
        _ draft: ObjectInput.Draft, of key: ObjectKey, _ classID: ClassID, _ onlyDifferent: Bool
    ) throws -> Value? {
        guard onlyDifferent, case .link(.link(let link)) = draft.content, case .object(let input) = link.reference,
            try objectClass(link.target).primaryKey == nil,
            case .link(let present) = try transaction.value(classID, key, draft.property)
        else { return nil }
        try set(input, of: present, onlyDifferent: true)
        return .link(present)
    }

    /// Returns a value with resolved links, and stores the objects given instead of links. Throws the problem of the
    /// first link whose target does not exist.
    package func resolve(_ content: ObjectInput.Content) throws -> Value {
        var missing: [ObjectInput.Link] = []
        let value = try resolve(content, &missing)
        if let first = missing.first { throw problem(ofMissing: first) }
        return value
    }

    /// Does the same, but collects the links whose target does not exist; with any of these the value is unusable.
    package func resolve(_ content: ObjectInput.Content, _ missing: inout [ObjectInput.Link]) throws -> Value {
        switch content {
        case .value(let value): return value
        case .link(.link(let link)): return try target(of: link, &missing).map { .link($0) } ?? .null
        case .link(.reference(let link)):
            return try target(of: link, &missing).map { .reference(ObjectReference(link.target, $0)) } ?? .null
        case .link(.embedded(let input)):
            var values = input.values.dictionary
            for draft in input.drafts { values[draft.property] = try resolve(draft.content, &missing) }
            return .embedded(values)
        case .list(let elements): return .list(try elements.map { try resolve($0, &missing) })
        case .set(let elements): return .set(try elements.map { try resolve($0, &missing) })
        case .map(let entries):
            return .dictionary(ValueMap(try entries.map { ($0.key, try resolve($0.value, &missing)) }))
        }
    }

    private func target(of link: ObjectInput.Link, _ missing: inout [ObjectInput.Link]) throws -> ObjectKey? {
        if case .object(let input) = link.reference { return try put(input).key }
        let key = try find(link)
        if key == nil { missing.append(link) }
        return key
    }

    /// Returns the object with a key; nil if there is none.
    private func find(_ link: ObjectInput.Link) throws -> ObjectKey? {
        switch link.reference {
        case .primaryKey(let primaryKey): try transaction.key(of: link.target, primaryKey: primaryKey)
        case .objectKey(let key): try transaction.exists(link.target, key) ? key : nil
        case .object: nil
        }
    }

    private func problem(ofMissing link: ObjectInput.Link) -> Problem {
        let name = transaction.schema[link.target]?.name ?? "object"
        let what =
            switch link.reference {
            case .primaryKey(let key): "the primary key \(keyText(of: key))"
            case .objectKey(let key): "the key \(key.rawValue)"
            case .object: "this"
            }
        return link.location.problem(
            "'\(link.location.property ?? link.location.path)' links to an object of \(name) with \(what), \(ProblemForm.missingLink). Create it first, or write the object itself."
        )
    }

    private func duplicate(_ primaryKey: Value, _ objectClass: ClassSchema) -> Problem {
        Problem(
            StoreError.Code.duplicateKey,
            "\(objectClass.name.withCapitalArticle) with the primary key \(keyText(of: primaryKey)) exists. Use update=modified to change it.",
            property: objectClass.primaryKey)
    }

    private func objectClass(_ id: ClassID) throws -> ClassSchema {
        guard let found = transaction.schema[id] else {
            throw StoreError(.unknownClass, "The class was removed from the schema meanwhile.")
        }
        return found
    }
}

extension ObjectInput.Content {
    /// Whether it contains a link to that object, which may not exist yet.
    fileprivate func links(to classID: ClassID, _ primaryKey: Value) -> Bool {
        let found: Bool? = firstLink { target in
            let leads =
                switch target {
                case .link(let link), .reference(let link):
                    switch link.reference {
                    case .primaryKey(let key): link.target == classID && key == primaryKey
                    case .objectKey: false
                    case .object(let input): input.drafts.contains { $0.content.links(to: classID, primaryKey) }
                    }
                case .embedded(let input): input.drafts.contains { $0.content.links(to: classID, primaryKey) }
                }
            return leads ? true : nil
        }
        return found == true
    }
}

/// Returns a value as text for messages.
package func keyText(of value: Value) -> String {
    let json = JSONWriter(capacity: 64)
    json.value(value)
    return String(decoding: json.bytes, as: UTF8.self)
}

extension ObjectWriter {
    /// Assigns a whole property. A list, set or map of values or links is changed with as few edits as possible, so
    /// that observers are notified only of the differences. Returns the number of elements inserted, assigned or
    /// removed; 1 for any other property. Cost: proportional to the collection.
    package func reassign(_ property: PropertySchema, of object: ObjectReference, to value: Value) throws -> Int {
        guard property.type.isCollection else {
            try transaction.set(object.classID, object.key, [property.id: value])
            return 1
        }
        // New embedded objects never equal the old ones, and the store rejects values that do not fit.
        if !property.ownsTarget, property.type.accepts(value) {
            try check(value, property, object)
            if let count = try transaction.change(property, of: object, to: value, Self.matching) { return count }
        }
        let before = try transaction.elementCount(object.classID, object.key, property.id)
        try transaction.set(object.classID, object.key, [property.id: value])
        return max(before, try transaction.elementCount(object.classID, object.key, property.id))
    }

    private func check(_ value: Value, _ property: PropertySchema, _ object: ObjectReference) throws {
        guard let objectClass = transaction.schema[object.classID] else { return }
        try ValueRules(transaction.schema) { try transaction.exists($0.classID, $0.key) }
            .check(value, for: property, of: objectClass)
    }
}
