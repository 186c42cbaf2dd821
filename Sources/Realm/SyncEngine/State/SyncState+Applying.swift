import JSONCoding
import ObjectModel
import QueryLanguage
import StoreContract
import WireProtocol

/// Thrown if an event does not fit the stored result: the stream must begin again.
struct SyncMismatch: Error {}

extension SyncState {
    /// Applies an event, within a write transaction that has already collected the local changes.
    ///
    /// - Parameter objects: the objects that the event begins or inserts, if they were separated from it.
    mutating func apply(
        _ event: SetEvent, with objects: EventObjects? = nil, _ transaction: any WriteTransaction
    ) throws {
        let version = event.version.rawValue
        let position = event.position.flatMap { StreamPosition($0) }
        versions.forget(reached: position?.reached.rawValue ?? 0)
        versions.areRecorded = overlaps(event)
        defer { versions.areRecorded = false }
        switch event.content {
        case .initial(let name, let items):
            guard let query = query(named: name) else { break }
            let number = query.number
            let objects = objects ?? EventObjects(items)
            let names = try names(objects, query.className, transaction)
            let before = members[number]?.keys ?? []
            if members[number] == nil { addMembers(number, of: query.className) }
            members[number]?.replace(with: names.map(\.key))
            try upsert(objects, names, of: query.className, at: version, transaction)
            if event.isPart {
                // The other parts may have the earlier objects: until then these are like those of a deleted query.
                retire(before, of: query.className)
                setState(.pending, of: number)
            } else {
                try leave(before, query.className, version, transaction)
                setState(.complete, of: number)
            }
        case .update(let name, let update):
            guard let query = query(named: name) else { break }
            try take(update, objects ?? EventObjects(update.inserted), of: query, version, transaction)
            if !event.isPart { setState(.complete, of: query.number) }
        case .failed(let name, let problem):
            guard let query = query(named: name) else { break }
            setState(.failed(code: problem.code ?? "", message: problem.sentence), of: query.number)
        case .subscriptions, .removed, .barrier, .closing, .other: break
        }
        if let position = event.position { self.position = position }
        if let mark = position?.mark { note(mark, ofStream: true) }
        if let version = event.reached { reached(version.rawValue) }
        if !unconfirmed.isEmpty { unconfirmed = unconfirmed.filter { !isMember($0) } }
        try settle(transaction)
    }

    /// Whether other queries select from the class of an event's query.
    private func overlaps(_ event: SetEvent) -> Bool {
        switch event.content {
        case .initial(let name, _), .update(let name, _):
            guard let className = query(named: name)?.className else { return false }
            return queries.count { $0.className == className } > 1
        case .failed, .subscriptions, .removed, .barrier, .closing, .other: return false
        }
    }

    /// Returns the query with a name at the gateway.
    private func query(named name: String) -> SyncQuery? {
        guard let number = SubscriptionName.queryNumber(in: name) else { return nil }
        return queries.first { $0.number == number }
    }

    private mutating func take(
        _ update: CollectionUpdate, _ inserted: EventObjects, of query: SyncQuery, _ version: UInt64,
        _ transaction: any WriteTransaction
    ) throws {
        guard var list = members[query.number] else { throw SyncMismatch() }
        // Removed from the dictionary, so that the only copy is edited in place. An error undoes the whole write.
        members[query.number] = MatchList()
        var left: [Value] = []
        for position in update.deletions.reversed() {
            guard let key = list.remove(at: position) else { throw SyncMismatch() }
            left.append(key)
        }
        let names = try names(inserted, query.className, transaction)
        guard names.count == update.insertions.count else { throw SyncMismatch() }
        for (position, name) in zip(update.insertions, names) {
            guard position <= list.count, !list.contains(name.key) else { throw SyncMismatch() }
            list.insert(name.key, at: position)
        }
        members[query.number] = list
        // First, so that the modified ones may link to them.
        try upsert(inserted, names, of: query.className, at: version, transaction)
        try upsert(update.modified, of: query.className, at: version, transaction)
        try leave(left, query.className, version, transaction)
    }

    mutating func setState(_ state: SyncQuery.State, of number: Int) {
        guard let index = queries.firstIndex(where: { $0.number == number }) else { return }
        queries[index].state = state
        if queries.allSatisfy({ $0.state == .complete }) { wasComplete = true }
    }

    private func names(
        _ rows: EventObjects, _ className: String, _ transaction: any WriteTransaction
    ) throws -> [SyncObject] {
        guard let primaryKey = transaction.schema[className]?.primaryKeyProperty else { throw SyncMismatch() }
        return try (0..<rows.count).map { index in
            let json = try rows.member(primaryKey.name, of: index)
            guard let key = try? ValueCoding.decode(json, as: primaryKey.type) else { throw SyncMismatch() }
            return SyncObject(className, key)
        }
    }

    // MARK: Rows

    /// The number of rows that are values at a time.
    private static let rowsAtOnce = 1024

    /// Applies rows that are values already.
    mutating func upsert(
        _ rows: [JSONValue], of className: String, at version: UInt64, _ transaction: any WriteTransaction
    ) throws {
        let rows = EventObjects(rows)
        try upsert(
            rows, try names(rows, className, transaction), of: className, at: version, transaction)
    }

    /// Applies rows of the gateway at a version. Properties with local changes that the version does not include keep
    /// their values, and the row is held until those changes are settled. A row with the text of the last one of its
    /// object, and one that is older than another that came, are passed over.
    private mutating func upsert(
        _ rows: EventObjects, _ names: [SyncObject], of className: String, at version: UInt64,
        _ transaction: any WriteTransaction
    ) throws {
        for start in stride(from: 0, to: rows.count, by: Self.rowsAtOnce) {
            try upsert(
                rows, names, start..<min(start + Self.rowsAtOnce, rows.count), of: className, at: version, transaction)
        }
    }

    private mutating func upsert(
        _ rows: EventObjects, _ names: [SyncObject], _ range: Range<Int>, of className: String, at version: UInt64,
        _ transaction: any WriteTransaction
    ) throws {
        guard let objectClass = transaction.schema[className], let primaryKey = objectClass.primaryKeyProperty else {
            return
        }
        var links: [Link] = []
        var created: [SyncObject] = []
        for index in range {
            let object = names[index]
            guard versions.take(object, at: version) else { continue }
            let text = rows.textHash(index)
            let touch = pending(object, at: version)
            if let text, touch == nil, texts[object] == text, held[object] == nil { continue }
            let row = try rows.object(index)
            guard case .object(let members) = row else { throw SyncMismatch() }
            var kept: Set<String> = []
            texts[object] = touch == nil ? text : nil
            held[object] = touch == nil ? nil : [.int(Int64(clamping: version)), row]
            switch touch {
            case .created?, .deleted?: continue
            case .modified(let names)?: kept = names
            case nil: break
            }
            var values = PropertyValues()
            var own: [(property: PropertySchema, json: JSONValue)] = []
            let isUnresolved = unresolved[object] != nil
            for member in members.members where !kept.contains(member.name) {
                guard let property = objectClass[member.name], !property.type.isComputed else { continue }
                if let value = try ValueCoding.draft(member.value, as: property.type).complete {
                    values[property.id] = value
                    if isUnresolved { note(nil, property.name, of: object) }
                } else {
                    own.append((property, member.value))
                }
            }
            let known = try transaction.key(of: objectClass.id, primaryKey: object.key)
            let key: ObjectKey
            if let known {
                key = known
                values[primaryKey.id] = nil
                try transaction.set(objectClass.id, key, values.dictionary, onlyDifferent: true)
            } else {
                values[primaryKey.id] = object.key
                key = try transaction.create(objectClass.id, given: values)
                created.append(object)
            }
            let reference = ObjectReference(objectClass.id, key)
            for (property, json) in own {
                links.append(
                    Link(object: object, reference: reference, isNew: known == nil, property: property, json: json))
            }
        }
        // Link targets may come later in the rows.
        for link in links { try assign(link, transaction) }
        for object in created { try resolve(waitingFor: object, transaction) }
    }

    /// The value of a property that links to other objects.
    private struct Link {
        let object: SyncObject
        let reference: ObjectReference
        /// Whether the object was just created, so that the property has its initial value.
        var isNew = false
        let property: PropertySchema
        let json: JSONValue
    }

    private mutating func assign(_ link: Link, _ transaction: any WriteTransaction) throws {
        let (reference, property) = (link.reference, link.property)
        var row = RemoteDecoder(transaction)
        let value = try row.value(link.json, property)
        // Most of a first download: the target has not come yet.
        if !link.isNew || value != property.type.zeroValue {
            try transaction.set(reference.classID, reference.key, [property.id: value], onlyDifferent: true)
        }
        note(row.missing.isEmpty ? nil : link.json, property.name, of: link.object)
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
        guard let sources = waiting.removeValue(forKey: target) else { return }
        for source in sources {
            guard let reference = try transaction.find(source), case .object(let values)? = unresolved[source],
                let objectClass = transaction.schema[source.className]
            else { continue }
            let touch = pending(source, at: .max)
            for member in values.members {
                guard let property = objectClass[member.name] else { continue }
                switch touch {
                case .modified(let names)? where !names.contains(member.name): break
                case nil: break
                // The response to that change includes a newer row.
                default: continue
                }
                try assign(
                    Link(object: source, reference: reference, property: property, json: member.value), transaction)
            }
        }
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

    // MARK: Leaving

    private mutating func leave(
        _ keys: [Value], _ className: String, _ version: UInt64, _ transaction: any WriteTransaction
    ) throws {
        for key in keys { try remove(SyncObject(className, key), at: version, transaction) }
    }

    /// Removes an object that no longer matches any subscription. Keeps an object that was created here and that the
    /// gateway did not have at that version.
    mutating func remove(_ object: SyncObject, at version: UInt64, _ transaction: any WriteTransaction) throws {
        guard !isMember(object) else { return }
        if case .created? = pending(object, at: version) {
            held[object] = [.int(Int64(clamping: version)), .null]
            return
        }
        held[object] = nil
        unresolved[object] = nil
        texts[object] = nil
        versions.forget(object)
        guard let place = try transaction.find(object) else { return }
        try noteLinks(to: place, object, transaction)
        try transaction.delete(place.classID, place.key)
    }

    /// Records links to the removed object: the gateway's objects may still have them.
    private mutating func noteLinks(
        to target: ObjectReference, _ name: SyncObject, _ transaction: any WriteTransaction
    ) throws {
        for origin in transaction.schema.classes {
            for property in origin.storedProperties where property.targetClass == target.classID {
                for key in Set(try transaction.backlinks(to: target.key, from: origin.id, property.id)) {
                    let source = ObjectReference(origin.id, key)
                    guard source != target,
                        let (owner, held) = try transaction.owner(of: source, property),
                        let object = try transaction.name(of: owner), pending(object, at: .max) == nil
                    else { continue }
                    waiting[name, default: []].insert(object)
                    if case .object(let known)? = unresolved[object], known[held.name] != nil { continue }
                    let value = try transaction.value(owner.classID, owner.key, held.id)
                    note(RemoteEncoder(transaction).json(value, held), held.name, of: object)
                }
            }
        }
    }

    /// Removes the objects of deleted queries, once all other queries are complete.
    mutating func settle(_ transaction: any WriteTransaction) throws {
        guard !queries.contains(where: { $0.state == .pending }) else { return }
        for number in retired {
            guard let className = memberClasses[number] else { continue }
            let keys = members[number]?.keys ?? []
            dropMembers(number)
            try leave(keys, className, .max, transaction)
        }
    }

    // MARK: Answers to uploads

    /// Completes an upload that the gateway has run: applies what was held because of it, unless an event with it is
    /// still to come. Returns the created objects that no subscription matches, which have been removed here.
    ///
    /// - Parameter rows: the gateway's state of objects for which no event will come.
    mutating func acknowledge(
        _ number: Int, at version: UInt64, _ mark: Mark?, _ rows: [SyncObject: JSONValue],
        _ transaction: any WriteTransaction
    ) throws -> [SyncObject] {
        if let mark { note(mark, ofStream: false) }
        guard let upload = finish(number, at: version, unaffected: Set(rows.keys)) else { return [] }
        var outside: [SyncObject] = []
        var conditions: [Int: BoundQuery] = [:]
        for (object, touch) in upload.touched {
            if isQueued(object) {
                // The response to the next upload decides.
                if touch == .created, !isMember(object), !writeOnly.contains(object.className) {
                    unconfirmed.insert(object)
                }
                continue
            }
            if let row = rows[object] {
                held[object] = nil
                if isMember(object) || row == .null { try take(row, of: object, at: .max, transaction) }
            } else if let entry = held[object] {
                let heldVersion = entry[0].flatMap { UInt64($0) } ?? 0
                held[object] = nil
                if heldVersion >= version { try take(entry[1] ?? .null, of: object, at: heldVersion, transaction) }
            }
            guard touch != .deleted, !isMember(object) else { continue }
            if writeOnly.contains(object.className) {
                try remove(object, at: .max, transaction)
                continue
            }
            if try matches(object, transaction, &conditions) {
                if touch == .created { unconfirmed.insert(object) }
            } else {
                // An object that is missing here too was deleted by another client meanwhile.
                let isNew = unconfirmed.remove(object) != nil || touch == .created
                if isNew, try transaction.find(object) != nil { outside.append(object) }
                try remove(object, at: .max, transaction)
            }
        }
        return outside
    }

    /// Removes objects that the gateway has not reported although all its data has arrived. Returns the removed ones.
    mutating func giveUp(
        _ objects: Set<SyncObject>, _ transaction: any WriteTransaction
    ) throws -> [SyncObject] {
        guard !queries.contains(where: { $0.state == .pending }) else { return [] }
        var gone: [SyncObject] = []
        for object in objects.intersection(unconfirmed) where !isQueued(object) {
            unconfirmed.remove(object)
            guard !isMember(object) else { continue }
            if try transaction.find(object) != nil { gone.append(object) }
            try remove(object, at: .max, transaction)
        }
        return gone
    }

    /// Applies the gateway's state of an object; null for none.
    mutating func take(
        _ row: JSONValue, of object: SyncObject, at version: UInt64, _ transaction: any WriteTransaction
    ) throws {
        if case .object = row, isMember(object) {
            try upsert([row], of: object.className, at: version, transaction)
        } else {
            try removeRefused(object, transaction)
        }
    }

    private mutating func removeRefused(_ object: SyncObject, _ transaction: any WriteTransaction) throws {
        guard !isQueued(object), let place = try transaction.find(object) else { return }
        held[object] = nil
        unresolved[object] = nil
        texts[object] = nil
        versions.forget(object)
        try transaction.delete(place.classID, place.key)
    }

    /// Returns whether a query would match the object in its local state.
    ///
    /// - Parameter conditions: a cache of bound conditions by query number.
    private func matches(
        _ object: SyncObject, _ transaction: any WriteTransaction, _ conditions: inout [Int: BoundQuery]
    ) throws -> Bool {
        guard let place = try transaction.find(object), let objectClass = transaction.schema[place.classID] else {
            return false
        }
        for query in queries where query.className == object.className {
            if conditions[query.number] == nil,
                let bound = try? QueryBinder(schema: transaction.schema).bind(query.filter, class: objectClass)
            {
                let named = try? bound.namingObjects { try transaction.key(of: $0, primaryKey: $1) }
                conditions[query.number] = named ?? bound
            }
            if let bound = conditions[query.number], (try? transaction.matches(bound, place.key)) == true {
                return true
            }
        }
        return false
    }
}

extension UInt64 {
    /// Returns nil unless the value is a non-negative integer.
    fileprivate init?(_ json: JSONValue) {
        guard case .int(let number) = json else { return nil }
        self.init(exactly: number)
    }
}

extension ReadContext {
    /// Returns the object with a primary key that owns an embedded object, and its property; the object itself if it
    /// has one.
    func owner(of object: ObjectReference, _ property: PropertySchema) throws -> (ObjectReference, PropertySchema)? {
        guard let objectClass = schema[object.classID] else { return nil }
        guard objectClass.isEmbedded else { return (object, property) }
        for origin in schema.classes {
            for holder in origin.storedProperties where holder.ownsTarget && holder.targetClass == object.classID {
                guard let key = try backlinks(to: object.key, from: origin.id, holder.id).first else { continue }
                return try owner(of: ObjectReference(origin.id, key), holder)
            }
        }
        return nil
    }
}
