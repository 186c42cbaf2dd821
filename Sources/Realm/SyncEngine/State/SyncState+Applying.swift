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
        reported.forgetVersions(reached: position?.reached.rawValue ?? 0)
        reported.recordsVersions = overlaps(event)
        defer { reported.recordsVersions = false }
        switch event.content {
        case .initial(let name, let items):
            guard let query = query(named: name) else { break }
            let number = query.number
            let objects = objects ?? EventObjects(items)
            let numbers = try self.numbers(objects, query.className, transaction)
            let before = members[number]?.numbers ?? []
            if members[number] == nil { addMembers(number, of: query.className) }
            guard members[number]?.replace(with: numbers) == true else { throw SyncMismatch() }
            try upsert(objects, numbers, of: query.className, at: version, transaction)
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
        if let position { reached(position.reached.rawValue) }
        if !unconfirmed.isEmpty { unconfirmed = unconfirmed.filter { !isMember($0) } }
        try settle(transaction)
    }

    /// Whether other queries select from the class of an event's query.
    private func overlaps(_ event: SetEvent) -> Bool {
        switch event.content {
        case .initial(let name, _), .update(let name, _):
            guard let className = query(named: name)?.className else { return false }
            return overlaps(className)
        case .failed, .subscriptions, .removed, .barrier, .closing, .other: return false
        }
    }

    /// Whether several queries select from a class.
    private func overlaps(_ className: String) -> Bool { queries.count { $0.className == className } > 1 }

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
        var left: [ReportedClass.Number] = []
        for position in update.deletions.reversed() {
            guard let number = list.remove(at: position) else { throw SyncMismatch() }
            left.append(number)
        }
        let numbers = try self.numbers(inserted, query.className, transaction)
        guard numbers.count == update.insertions.count else { throw SyncMismatch() }
        var start = 0
        while start < numbers.count {
            let position = update.insertions[start]
            var end = start + 1
            // Positions in a row are inserted together.
            while end < numbers.count, update.insertions[end] == position &+ (end - start) { end += 1 }
            guard list.insert(numbers[start..<end], at: position) else { throw SyncMismatch() }
            start = end
        }
        members[query.number] = list
        // First, so that the modified ones may link to them.
        try upsert(inserted, numbers, of: query.className, at: version, transaction)
        let modified = inserted.modified ?? EventObjects(update.modified)
        try upsert(
            modified, try self.numbers(modified, query.className, transaction), of: query.className, at: version,
            transaction)
        try leave(left, query.className, version, transaction)
    }

    mutating func setState(_ state: SyncQuery.State, of number: Int) {
        guard let index = queries.firstIndex(where: { $0.number == number }) else { return }
        queries[index].state = state
        if queries.allSatisfy({ $0.state == .complete }) { wasComplete = true }
    }

    // MARK: Leaving

    private mutating func leave(
        _ numbers: [ReportedClass.Number], _ className: String, _ version: UInt64, _ transaction: any WriteTransaction
    ) throws {
        for number in numbers {
            try remove(SyncObject(className, reported[className].key(number)), at: version, transaction)
        }
    }

    /// Removes an object that no longer matches any subscription. Keeps an object that was created here and that the
    /// gateway did not have at that version.
    mutating func remove(_ object: SyncObject, at version: UInt64, _ transaction: any WriteTransaction) throws {
        guard !isMember(object) else { return }
        if case .created? = pending(object, at: version) {
            held[object] = [.int(Int64(clamping: version)), .null]
            reported.forgetText(object)
            return
        }
        held[object] = nil
        unresolved[object] = nil
        forgetReported(object)
        guard let place = try transaction.find(object) else { return }
        try noteLinks(to: place, object, transaction)
        try transaction.delete(place.classID, place.key)
    }

    /// Forgets the row of an object that is removed, and its number, unless the list of a deleted query has it.
    private mutating func forgetReported(_ object: SyncObject) {
        guard let number = reported.number(of: object) else { return }
        let isListed = members.contains {
            $0.value.contains(number) && memberClasses[$0.key] == object.className
        }
        reported.remove(object, isListed: isListed)
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
            let numbers = members[number]?.numbers ?? []
            dropMembers(number)
            try leave(numbers, className, .max, transaction)
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
                if isMember(object) || row == .null {
                    try take(row, of: object, at: .max, transaction)
                    if overlaps(object.className) { reported.note(object, at: version) }
                }
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
        forgetReported(object)
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
