import JSONCoding
import ObjectModel
import StoreContract

/// Rows of the gateway as objects here, and their links.
extension SyncState {
    /// Returns the numbers of the objects of an event.
    mutating func numbers(
        _ rows: EventObjects, _ className: String, _ transaction: any WriteTransaction
    ) throws -> [ReportedClass.Number] {
        guard let primaryKey = transaction.schema[className]?.primaryKeyProperty else { throw SyncMismatch() }
        let isInteger = primaryKey.type.base == .int
        let name = Array(primaryKey.name.utf8)
        var known = reported.take(className)
        var numbers: [ReportedClass.Number] = []
        numbers.reserveCapacity(rows.count)
        try rows.forEach { index, text in
            if isInteger, let key = text?.shortInteger(name) {
                numbers.append(known.number(adding: key))
                return
            }
            let json = try rows.member(primaryKey.name, of: index)
            guard let key = try? ValueCoding.decode(json, as: primaryKey.type) else { throw SyncMismatch() }
            numbers.append(known.number(adding: key))
        }
        reported.put(known, className)
        return numbers
    }

    /// The number of rows whose links are assigned together.
    private static let rowsAtOnce = 1024

    /// Applies rows that are values already.
    mutating func upsert(
        _ rows: [JSONValue], of className: String, at version: UInt64, _ transaction: any WriteTransaction
    ) throws {
        let rows = EventObjects(rows)
        try upsert(rows, try numbers(rows, className, transaction), of: className, at: version, transaction)
    }

    /// Applies rows of the gateway at a version. Properties with local changes that the version does not include keep
    /// their values, and the row is held until those changes are settled. A row with the text of the last one of its
    /// object, and one that is older than another that came, are passed over.
    mutating func upsert(
        _ rows: EventObjects, _ numbers: [ReportedClass.Number], of className: String, at version: UInt64,
        _ transaction: any WriteTransaction
    ) throws {
        guard let objectClass = transaction.schema[className], let primaryKey = objectClass.primaryKeyProperty else {
            return
        }
        var known = reported.take(className)
        var batch = RowBatch(objectClass, primaryKey, transaction.schema)
        try rows.forEach { index, text in
            let number = numbers[index]
            guard reported.takes(number, at: version, &known) else { return }
            let hash = text?.hash
            // An object with the text of its last row has no local changes: these would have removed the record.
            if let hash, known.has(row: hash, number) { return }
            let object = SyncObject(className, known.key(number))
            let touch = pending(object, at: version)
            known.setRow(touch == nil ? hash : nil, number)
            if let text, touch == nil, batch.read(text) {
                held[object] = nil
                try apply(object, &batch, transaction)
            } else {
                try upsert(try rows.object(index), object, touch, at: version, &batch, transaction)
            }
            if batch.count >= Self.rowsAtOnce { try finish(&batch, transaction) }
        }
        try finish(&batch, transaction)
        reported.put(known, className)
    }

    /// Applies a row that was parsed.
    private mutating func upsert(
        _ row: JSONValue, _ object: SyncObject, _ touch: Upload.Touch?, at version: UInt64, _ batch: inout RowBatch,
        _ transaction: any WriteTransaction
    ) throws {
        guard case .object(let members) = row else { throw SyncMismatch() }
        var kept: Set<String> = []
        held[object] = touch == nil ? nil : [.int(Int64(clamping: version)), row]
        switch touch {
        case .created?, .deleted?: return
        case .modified(let names)?: kept = names
        case nil: break
        }
        batch.begin()
        for member in members.members where !kept.contains(member.name) {
            guard let column = batch.reader.column(member.name) else { continue }
            if let value = try ValueCoding.draft(member.value, as: column.property.type).complete {
                batch.values[column.property.id] = value
            } else {
                batch.rowLinks.append(RowReader.Link(column: column, json: member.value))
            }
        }
        try apply(object, &batch, transaction)
    }

    /// Makes an object equal to the row that the batch has read. Links to what may still come are assigned later.
    private mutating func apply(
        _ object: SyncObject, _ batch: inout RowBatch, _ transaction: any WriteTransaction
    ) throws {
        batch.count += 1
        let isUnresolved = unresolved[object] != nil
        var later: [RowReader.Link] = []
        for link in batch.rowLinks {
            // Another row may make an object of the same class.
            if let target = link.column.target, target.id != batch.objectClass.id,
                let found = try batch.targets.find(link, transaction)?.object
            {
                batch.values[link.column.property.id] = .link(found)
            } else {
                later.append(link)
            }
        }
        if isUnresolved {
            for entry in batch.values {
                guard let property = batch.objectClass[entry.key] else { continue }
                note(nil, property.name, of: object)
            }
        }
        let known = try transaction.key(of: batch.objectClass.id, primaryKey: object.key)
        let key: ObjectKey
        if let known {
            key = known
            batch.values[batch.primaryKey.id] = nil
            try transaction.set(batch.objectClass.id, key, batch.values.dictionary, onlyDifferent: true)
        } else {
            batch.values[batch.primaryKey.id] = object.key
            key = try transaction.create(batch.objectClass.id, given: batch.values)
            batch.created.append(object)
        }
        guard !later.isEmpty else { return }
        let reference = ObjectReference(batch.objectClass.id, key)
        for link in later {
            batch.links.append(ObjectLink(object: object, reference: reference, isNew: known == nil, link: link))
        }
    }

    /// Assigns the links of the rows: their targets may have come later in them. Then those that waited for the new
    /// objects, in the order in which the store has them.
    private mutating func finish(_ batch: inout RowBatch, _ transaction: any WriteTransaction) throws {
        // What was missing may be one of the new objects.
        if !batch.created.isEmpty { batch.targets.forget(batch.objectClass.id) }
        for link in batch.links { try assign(link, &batch.targets, transaction) }
        var waited: [ObjectLink] = []
        for object in batch.created { waited += try links(waitingFor: object, &batch.targets, transaction) }
        // A list of links that waits for several of them is assigned once.
        var properties: Set<PropertyReference> = []
        waited.removeAll { !properties.insert(PropertyReference($0)).inserted }
        waited.sort { $0.reference < $1.reference }
        for link in waited { try assign(link, &batch.targets, transaction) }
        batch.links.removeAll(keepingCapacity: true)
        batch.created.removeAll(keepingCapacity: true)
        batch.count = 0
    }

    private mutating func assign(
        _ link: ObjectLink, _ targets: inout LinkTargets, _ transaction: any WriteTransaction
    ) throws {
        let (reference, column) = (link.reference, link.link.column)
        let property = column.property
        if let target = column.target, let (key, found) = try targets.find(link.link, transaction) {
            let value = found.map { Value.link($0) } ?? .null
            // Most of a first download: the target has not come yet.
            if !link.isNew || found != nil {
                if try transaction.value(reference.classID, reference.key, property.id) != value {
                    try transaction.set(reference.classID, reference.key, [property.id: value])
                }
            }
            note(found == nil ? link.link.json : nil, property.name, of: link.object)
            if found == nil { waiting[SyncObject(target.name, key), default: []].insert(link.object) }
            return
        }
        var row = RemoteDecoder(transaction)
        let value = try row.value(link.link.json, property)
        if !link.isNew || value != property.type.zeroValue {
            try transaction.set(reference.classID, reference.key, [property.id: value], onlyDifferent: true)
        }
        note(row.missing.isEmpty ? nil : link.link.json, property.name, of: link.object)
        for target in row.missing { waiting[target, default: []].insert(link.object) }
    }

    /// Records the value of a property that links to objects missing here; nil removes the record.
    mutating func note(_ json: JSONValue?, _ property: String, of object: SyncObject) {
        let known = unresolved[object]
        guard json != nil || known != nil else { return }
        var members: [JSONObject.Member] = []
        if case .object(let object)? = known { members = object.members.filter { $0.name != property } }
        if let json { members.append(.init(name: property, value: json)) }
        unresolved[object] = members.isEmpty ? nil : .object(JSONObject(members))
    }

    /// Sets the links to an object that has arrived.
    mutating func resolve(waitingFor target: SyncObject, _ transaction: any WriteTransaction) throws {
        var targets = LinkTargets()
        for link in try links(waitingFor: target, &targets, transaction) { try assign(link, &targets, transaction) }
    }

    /// Returns the links to an object that has arrived, which are assigned next.
    private mutating func links(
        waitingFor target: SyncObject, _ targets: inout LinkTargets, _ transaction: any WriteTransaction
    ) throws -> [ObjectLink] {
        guard let sources = waiting.removeValue(forKey: target) else { return [] }
        var links: [ObjectLink] = []
        for source in sources {
            guard let reference = try transaction.find(source), case .object(let values)? = unresolved[source] else {
                continue
            }
            let touch = pending(source, at: .max)
            for member in values.members {
                guard let column = targets.column(member.name, of: source.className, transaction) else { continue }
                switch touch {
                case .modified(let names)? where !names.contains(member.name): break
                case nil: break
                // The response to that change includes a newer row.
                default: continue
                }
                let link = RowReader.Link(column: column, json: member.value)
                links.append(ObjectLink(object: source, reference: reference, isNew: false, link: link))
            }
        }
        return links
    }

    /// Rebuilds `waiting`, which is not stored, after loading.
    mutating func findWaiting(_ transaction: any WriteTransaction) throws {
        for (object, values) in unresolved.values {
            guard case .object(let values) = values, let objectClass = transaction.schema[object.className] else {
                continue
            }
            for member in values.members {
                guard let property = objectClass[member.name] else { continue }
                var row = RemoteDecoder(transaction)
                _ = try? row.value(member.value, property)
                for target in row.missing { waiting[target, default: []].insert(object) }
            }
        }
    }
}

/// The value of a property that links to other objects.
private struct ObjectLink {
    let object: SyncObject
    let reference: ObjectReference
    /// Whether the object was just created, so that the property has its initial value.
    let isNew: Bool
    let link: RowReader.Link
}

private struct PropertyReference: Hashable {
    let object: ObjectReference
    let property: PropertyID

    init(_ link: ObjectLink) {
        object = link.reference
        property = link.link.column.property.id
    }
}

/// What links lead to, each looked up once in an event.
private struct LinkTargets {
    private var found: [ClassID: [Value: ObjectKey?]] = [:]
    private var readers: [String: RowReader] = [:]

    /// Returns the primary key that a single link names, and its object; nil for other links, and for a key of another
    /// type.
    mutating func find(
        _ link: RowReader.Link, _ transaction: any WriteTransaction
    ) throws -> (key: Value, object: ObjectKey?)? {
        guard let target = link.column.target, !link.json.isObject,
            let key = try? ValueCoding.decode(link.json, as: target.key)
        else { return nil }
        if let known = found[target.id]?[key] { return (key, known) }
        let object = try transaction.key(of: target.id, primaryKey: key)
        found[target.id, default: [:]][key] = .some(object)
        return (key, object)
    }

    /// Forgets what was found of a class, since it has new objects.
    mutating func forget(_ classID: ClassID) { found[classID] = nil }

    /// Returns the property of a class with a name.
    mutating func column(
        _ name: String, of className: String, _ transaction: any WriteTransaction
    ) -> RowReader.Column? {
        if let known = readers[className] { return known.column(name) }
        guard let objectClass = transaction.schema[className] else { return nil }
        let reader = RowReader(objectClass, transaction.schema)
        readers[className] = reader
        return reader.column(name)
    }
}

/// Rows of one class whose links are still to be assigned.
private struct RowBatch {
    let objectClass: ClassSchema
    let primaryKey: PropertySchema
    let reader: RowReader
    /// What the present row has.
    var values = PropertyValues()
    var rowLinks: [RowReader.Link] = []
    var links: [ObjectLink] = []
    var created: [SyncObject] = []
    var targets = LinkTargets()
    var count = 0

    init(_ objectClass: ClassSchema, _ primaryKey: PropertySchema, _ schema: Schema) {
        self.objectClass = objectClass
        self.primaryKey = primaryKey
        reader = RowReader(objectClass, schema)
    }

    mutating func begin() {
        values = PropertyValues()
        rowLinks.removeAll(keepingCapacity: true)
    }

    /// Reads the next row without a parser; returns false if that is not possible.
    mutating func read(_ text: RowText) -> Bool {
        begin()
        return reader.read(text, &values, &rowLinks)
    }
}

extension JSONValue {
    fileprivate var isObject: Bool { if case .object = self { true } else { false } }
}
