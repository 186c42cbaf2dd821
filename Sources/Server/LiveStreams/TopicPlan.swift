import JSONCoding
import LiveQueries
package import ObjectCoding
package import ObjectModel
import QueryLanguage
import StoreContract
import ViewMaintenance
import WireProtocol

/// How the events of a topic are written under one schema.
struct TopicPlan {
    let key: TopicKey
    let objectClass: ClassSchema
    /// The plan for the observed objects; for elements, for their owner.
    let rows: RowPlan
    /// The plan for elements.
    let elements: ElementPlan?
    private let answerBytes: @Sendable () -> Int

    /// The maximum number of bytes of an event that is written as a whole, and of one object with others in place of
    /// its links.
    var responseLimit: Int { answerBytes() }

    /// Throws if a requested class or name is not in the schema.
    init(_ key: TopicKey, _ schema: Schema, answerBytes: @escaping @Sendable () -> Int = { .max }) throws {
        self.answerBytes = answerBytes
        guard let objectClass = schema[key.classID] else {
            throw StoreError(.unknownClass, "The observed class was removed from the schema.")
        }
        self.key = key
        self.objectClass = objectClass
        if case .elements(let holder, let property) = key.subject {
            let plan = try ElementPlan(key, holder, property, objectClass, schema, answerBytes: answerBytes)
            rows = plan.values
            elements = plan
        } else {
            rows = try RowPlan(
                objectClass, of: schema, fields: key.fields, expand: key.expand, style: key.style,
                isPart: key.isOwned)
            elements = nil
        }
    }

    /// The data of each object that the events show, besides what is observed anyway.
    var shape: LiveShape {
        var shape = LiveShape(of: (elements?.objects ?? rows).classID)
        switch key.subject {
        case .objects: rows.add(to: &shape, at: .object)
        case .sections(_, let by):
            rows.add(to: &shape, at: .object)
            shape.show(by.path)
        case .elements: elements?.objects?.add(to: &shape, at: .object)
        // Only what they depend on anyway.
        case .aggregate, .value: break
        case .object:
            rows.add(to: &shape, at: .object)
            return shape.beyondObject
        }
        return shape.beyondReach
    }

    /// Identifies a form of objects: by the names, identifiers and types of all written properties. A property
    /// with the same name and type may be another one, with other values although none was assigned.
    func form(_ schema: Schema) -> String {
        switch key.subject {
        case .aggregate, .value: return ""
        case .objects, .sections, .elements, .object: break
        }
        return rows.form(schema) + (elements?.objects?.form(schema) ?? "")
    }

    /// Throws 400 if the first event has too many rows. Returns their number.
    @discardableResult
    func check(_ content: TopicContent, _ snapshot: any Snapshot, limit: Int) throws -> Int {
        let count = try content.rowCount(key, snapshot)
        // Its source has checked it.
        if case .value = content { return count }
        if case .aggregate(let subject) = key.subject {
            guard count <= subject.limit else { throw AggregateForm.tooMany(count, limit: subject.limit) }
            return count
        }
        guard count <= limit else {
            throw Problem(
                .observeTooLarge,
                "\(count) objects are too many to observe; give a 'limit' of at most \(limit), or a filter.",
                parameter: "limit")
        }
        return count
    }

    func initial(_ snapshot: any Snapshot, _ content: TopicContent, limit: Int) throws -> JSONWriter {
        let count = try check(content, snapshot, limit: limit)
        let json = JSONWriter(capacity: 256 + min(count, 10_000) * 128)
        json.beginObject()
        json.member(snapshot.version)
        switch key.subject {
        case .object(let object):
            json.name(EventField.object)
            try rows.write([object.key], of: snapshot, into: json, responseLimit: responseLimit)
        case .aggregate, .value: break
        case .objects, .sections, .elements:
            json.name(EventField.count)
            json.int(count)
        }
        switch content {
        case .objects(let keys): try json.member(EventField.items, Array(keys), rows, snapshot, responseLimit)
        case .sections(let sections): try write(sections, snapshot, json)
        case .aggregate(let result): try write(result, snapshot, json)
        case .value(let bytes): write(bytes, json)
        case .elements: try elements?.writeItems(snapshot, json)
        case .object: break
        }
        json.endObject()
        return json
    }

    /// - Parameter snapshot: the difference's snapshot, possibly with a budget.
    func update(_ difference: TopicDifference, _ snapshot: any Snapshot) throws -> JSONWriter {
        if case .aggregate(let change) = difference { try check(.aggregate(change.result), snapshot, limit: .max) }
        let json = JSONWriter(capacity: 1024)
        json.beginObject()
        json.member(snapshot.version)
        switch difference {
        case .objects(let change): try write(change, snapshot, json)
        case .sections(let change): try write(change, snapshot, json)
        case .aggregate(let change): try write(change, snapshot, json)
        case .value(let change): write(change.bytes, json)
        case .elements(let change): try elements?.write(change, snapshot, json)
        case .object(let change): try write(change, snapshot, json)
        }
        json.endObject()
        return json
    }

    /// Writes an answer that is read as a whole.
    private func write(_ bytes: [UInt8], _ json: JSONWriter) {
        guard case .value(let subject) = key.subject else { return }
        json.name(subject.name)
        json.json(bytes)
    }

    private func write(_ change: LiveChange, _ snapshot: any Snapshot, _ json: JSONWriter) throws {
        json.positions(
            deletions: change.deletions, insertions: change.insertions, modifications: change.modifications)
        guard key.includesObjects else { return }
        try json.changedObjects(
            insertions: { try json.array(change.insertions.map { change.newKeys[$0] }, rows, snapshot, responseLimit) },
            modifications: {
                try json.array(change.modificationsNew.map { change.newKeys[$0] }, rows, snapshot, responseLimit)
            })
    }

    private func value(of property: PropertyID, _ snapshot: any Snapshot) throws -> Value? {
        guard case .object(let object) = key.subject else { return nil }
        return try snapshot.value(object.classID, object.key, property)
    }

    /// Writes the changed properties with their values.
    private func write(_ change: LiveObjectChange, _ snapshot: any Snapshot, _ json: JSONWriter) throws {
        json.name(EventField.changes)
        json.beginArray()
        for property in change.properties {
            guard let schema = objectClass[property.id] else { continue }
            // A list, set or map is only reported as changed: its new value can be read.
            let isStoredCollection = schema.type.isCollection && !schema.type.isComputed
            let new = try property.newValue ?? (isStoredCollection ? value(of: property.id, snapshot) : nil)
            json.beginObject()
            json.name("name")
            json.string(schema.name)
            if let old = property.oldValue {
                json.name("old")
                try rows.write(old, of: property.id, change.before, into: json, responseLimit: responseLimit)
            }
            if let new {
                json.name("new")
                try rows.write(new, of: property.id, snapshot, into: json, responseLimit: responseLimit)
            }
            json.endObject()
        }
        json.endArray()
    }
}

extension RowPlan {
    /// See `TopicPlan.form`.
    package func form(_ schema: Schema) -> String {
        let parts = zip(columns, names.texts).map { column, name in
            func type(_ property: PropertyID) -> String {
                "\(property.rawValue)" + ((schema[classID]?[property]?.type).map { "\($0)" } ?? "")
            }
            switch column {
            case .value(let property, _): return name + type(property)
            case .link(let property, let target):
                return name + type(property)
                    + (target.expanded?.form(schema) ?? "\(target.primaryKey.map(\.rawValue) ?? 0)")
            case .linkingObjects(let origin, let target):
                return name + target.className + "\(origin.rawValue)"
                    + (target.expanded?.form(schema) ?? "\(target.primaryKey.map(\.rawValue) ?? 0)")
            }
        }
        return "\(className)\(writesObjectKey ? "$" : ""){\(parts.joined(separator: ","))}"
    }

    /// Adds the parts of the objects at a node that are written.
    fileprivate func add(to shape: inout LiveShape, at node: LiveShape.Node) {
        for column in columns {
            switch column {
            case .value(let property, _): shape.show(property, at: node)
            case .link(let property, let target):
                let next = shape.follow(property, to: target.classID, from: node)
                target.expanded?.add(to: &shape, at: next)
            case .linkingObjects(let link, let target):
                let next = shape.follow(linking: link, to: target.classID, by: link, from: node)
                target.expanded?.add(to: &shape, at: next)
            }
        }
    }
}

extension JSONWriter {
    /// Writes a member with an array of objects.
    func member(
        _ name: String, _ keys: [ObjectKey], _ plan: RowPlan, _ snapshot: any Snapshot, _ limit: Int
    ) throws {
        self.name(name)
        try array(keys, plan, snapshot, limit)
    }

    /// Writes an array of objects.
    ///
    /// - Parameter limit: the maximum number of bytes; 400 beyond.
    func array(_ keys: [ObjectKey], _ plan: RowPlan, _ snapshot: any Snapshot, _ limit: Int) throws {
        beginArray()
        try plan.write(keys, of: snapshot, into: self, responseLimit: limit)
        endArray()
    }
}

/// The events of aggregates: the answer of the read, and the groups of it that changed.
extension TopicPlan {
    func write(_ result: AggregateResult, _ snapshot: any Snapshot, _ json: JSONWriter) throws {
        guard case .aggregate(let subject) = key.subject else { return }
        let look = LinkResolver(snapshot, responseLimit: responseLimit)
        if subject.form.keys.isEmpty {
            for all in result.groups { subject.form.members(of: all, look, json) }
        } else {
            json.name(EventField.groups)
            try subject.form.array(result.groups, look, json)
            if let others = result.others { json.member(others) }
        }
        if let fault = look.fault { throw fault }
    }

    func write(_ change: LiveAggregateChange, _ snapshot: any Snapshot, _ json: JSONWriter) throws {
        guard case .aggregate(let subject) = key.subject else { return }
        let (result, indices) = (change.result, change.indices)
        // One group is as short as what says which.
        guard !subject.form.keys.isEmpty else { return try write(result, snapshot, json) }
        let look = LinkResolver(snapshot, responseLimit: responseLimit)
        json.positions(
            deletions: indices.deletions, insertions: indices.insertions, modifications: indices.modifications)
        json.name(EventField.groups)
        json.beginObject()
        json.name(EventField.insertions)
        try subject.form.array(indices.insertions.map { result.groups[$0] }, look, json)
        json.name(EventField.modifications)
        try subject.form.array(indices.modificationsNew.map { result.groups[$0] }, look, json)
        json.endObject()
        if let others = result.others { json.member(others) }
        if let fault = look.fault { throw fault }
    }
}

extension TopicPlan {
    /// Writes `"sections": [{"key", "count", "items"}]`.
    func write(_ sections: LiveSections, _ snapshot: any Snapshot, _ json: JSONWriter) throws {
        json.name("sections")
        json.beginArray()
        for index in 0..<sections.count {
            json.beginObject()
            json.name("key")
            try write(key: sections.key(of: index), snapshot, json)
            json.name(EventField.count)
            json.int(sections.count(of: index))
            try json.member(EventField.items, sections.keys(of: index), rows, snapshot, responseLimit)
            json.endObject()
        }
        json.endArray()
    }

    func write(_ change: LiveSectionChange, _ snapshot: any Snapshot, _ json: JSONWriter) throws {
        let (changes, sections) = (change.changes, change.newSections)
        json.positions("sectionsToDelete", changes.sectionsToDelete)
        json.positions("sectionsToInsert", changes.sectionsToInsert)
        json.name("insertedKeys")
        json.beginArray()
        for index in changes.sectionsToInsert { try write(key: sections.key(of: index), snapshot, json) }
        json.endArray()
        json.paths(EventField.deletions, changes.deletions)
        json.paths(EventField.insertions, changes.insertions)
        json.paths(EventField.modifications, changes.modifications)
        guard key.includesObjects else { return }
        try json.changedObjects(
            insertions: { try json.array(changes.insertions.map { sections[$0] }, rows, snapshot, responseLimit) },
            modifications: {
                try json.array(changes.modificationsNew.map { sections[$0] }, rows, snapshot, responseLimit)
            })
    }

    private func write(key value: Value, _ snapshot: any Snapshot, _ json: JSONWriter) throws {
        guard case .sections(_, let by) = key.subject else { return json.null() }
        let look = LinkResolver(snapshot)
        look.value(value, isMixed: by.givesMixed, key.style, json)
        if let fault = look.fault { throw fault }
    }
}

extension JSONWriter {
    /// Writes a member with an array of `[section, row]`.
    fileprivate func paths(_ name: String, _ paths: [SectionPath]) {
        self.name(name)
        beginArray()
        for path in paths {
            beginArray()
            int(path.section)
            int(path.row)
            endArray()
        }
        endArray()
    }
}
