import Foundation
import JSONCoding
package import ObjectModel
import StoreContract
import WireProtocol

/// A stored subscription.
package struct SyncQuery: Sendable, Equatable {
    package enum State: Sendable, Equatable {
        case pending
        case complete
        case failed(code: String, message: String)
    }

    /// The id, which stays when the query changes.
    package let id: Int
    /// The number of the query: its name at the gateway and the key of its members.
    package var number: Int
    package var name: String?
    package var className: String
    /// The condition as query text with stored names.
    package var filter: String
    package var createdAt: Timestamp
    package var updatedAt: Timestamp
    package var state: State

    package init(
        id: Int, number: Int, name: String?, className: String, filter: String, createdAt: Timestamp,
        updatedAt: Timestamp, state: State = .pending
    ) {
        self.id = id
        self.number = number
        self.name = name
        self.className = className
        self.filter = filter
        self.createdAt = createdAt
        self.updatedAt = updatedAt
        self.state = state
    }

    /// Whether the gateway cannot follow it.
    var hasFailed: Bool {
        if case .failed = state { true } else { false }
    }

    var remoteName: String { SubscriptionName.query(number) }
}

/// The changes of one local commit, or of several that were collected together. Sent as one transaction.
struct Upload: Sendable {
    enum Touch: Sendable, Equatable {
        case created
        case modified(Set<String>)
        case deleted
    }

    struct Operation: Sendable {
        var object: SyncObject
        /// The operation as sent to the gateway.
        var sent: TransactionOperation
    }

    let number: Int
    /// The number of the original upload, for parts of one that was split.
    var order: Int
    /// Identifies repetitions to the gateway; replaced when the operations change.
    var idempotencyKey: String
    var operations: [Operation]
    var touched: [SyncObject: Touch]

    init(
        number: Int, order: Int? = nil, idempotencyKey: String, operations: [Operation], touched: [SyncObject: Touch]
    ) {
        self.number = number
        self.order = order ?? number
        self.idempotencyKey = idempotencyKey
        self.operations = operations
        self.touched = touched
    }
}

/// The state of a realm's synchronisation. A write transaction changes a copy, which becomes valid with the commit.
struct SyncState: Sendable {
    /// The name of the gateway's subscription set, which belongs to the file at `path`.
    var client = ""
    var path = ""
    /// Increases with each update of the subscriptions.
    var revision = 0
    var queries: [SyncQuery] = []
    /// The matches by the number of the query. Includes deleted queries until their objects are removed.
    var members: [Int: MatchList] = [:]
    private var keptMembers: Set<Int> = []
    /// The version up to which local commits have been collected into uploads.
    var scanned = Version(0)
    /// The id of the last event.
    var position: String?
    /// The latest state of the gateway that is known here, from events and from the answers to uploads. A gateway that
    /// does not have it has lost its history: see `Reset`.
    var mark: Mark?
    /// The client reset that is not done yet; nil for none.
    var reset: Reset?
    /// Whether the change log has lost local commits since the last client reset, so that not all of them were sent.
    var hasLostCommits = false
    /// The classes whose objects are sent, and removed here when the gateway has them. They have no subscriptions. Not
    /// stored.
    var writeOnly: Set<String> = []
    /// Whether the data of all subscriptions has been complete once.
    var wasComplete = false
    /// The next number of a query, upload or subscription.
    private var next = 1
    private(set) var uploads: [Upload] = []
    private var changedUploads: Set<Int> = []
    private var goneUploads: Set<Int> = []
    /// The number of uploads, including acknowledged ones, that concern an object.
    private var touchCounts: [SyncObject: Int] = [:]
    /// Uploads that the gateway has run, at a version that not all events have reached yet.
    private(set) var acknowledged: [(version: UInt64, touched: [SyncObject: Upload.Touch])] = []
    /// Rows of the gateway that were not applied, or only in part, because of pending local changes: `[version, row]`;
    /// a null row for an object that left.
    var held = SyncTable("held")
    /// Objects that were created here and at the gateway and match a subscription, but have not been reported by it
    /// yet.
    var unconfirmed: Set<SyncObject> = []
    /// The gateway's values of properties that link to objects missing here.
    var unresolved = SyncTable("unresolved")
    /// What the gateway has reported of each object.
    var reported = ReportedObjects()
    /// The objects that link to a missing object, by that object.
    var waiting: [SyncObject: Set<SyncObject>] = [:]

    mutating func number() -> Int {
        defer { next += 1 }
        return next
    }

    // MARK: Uploads

    mutating func add(_ upload: Upload) {
        uploads.append(upload)
        changedUploads.insert(upload.number)
        for object in upload.touched.keys {
            touchCounts[object, default: 0] += 1
            reported.forgetText(object)
        }
    }

    private mutating func forget(_ touched: [SyncObject: Upload.Touch]) {
        for object in touched.keys {
            let count = touchCounts[object, default: 1] - 1
            touchCounts[object] = count == 0 ? nil : count
        }
    }

    mutating func change(_ number: Int, _ body: (inout Upload) -> Void) {
        guard let index = uploads.firstIndex(where: { $0.number == number }) else { return }
        forget(uploads[index].touched)
        body(&uploads[index])
        for object in uploads[index].touched.keys {
            touchCounts[object, default: 0] += 1
            reported.forgetText(object)
        }
        changedUploads.insert(number)
    }

    /// Splits an upload that is too large for the gateway.
    mutating func split(_ number: Int) {
        guard let index = uploads.firstIndex(where: { $0.number == number }), uploads[index].operations.count > 1
        else { return }
        let whole = uploads[index]
        forget(whole.touched)
        uploads.remove(at: index)
        goneUploads.insert(number)
        changedUploads.remove(number)
        let half = whole.operations.count / 2
        for (offset, part) in [whole.operations[..<half], whole.operations[half...]].enumerated() {
            var upload = Upload(
                number: self.number(), order: whole.order, idempotencyKey: UUID().uuidString,
                operations: Array(part), touched: [:])
            for operation in part { upload.touched[operation.object] = whole.touched[operation.object] }
            for object in upload.touched.keys { touchCounts[object, default: 0] += 1 }
            uploads.insert(upload, at: index + offset)
            changedUploads.insert(upload.number)
        }
    }

    /// Removes an upload that was run or rejected.
    ///
    /// - Parameter unaffected: objects for which no event will come.
    @discardableResult
    mutating func finish(
        _ number: Int, at version: UInt64? = nil, unaffected: Set<SyncObject> = []
    ) -> Upload? {
        guard let index = uploads.firstIndex(where: { $0.number == number }) else { return nil }
        let upload = uploads.remove(at: index)
        changedUploads.remove(number)
        goneUploads.insert(number)
        guard let version else {
            forget(upload.touched)
            return upload
        }
        acknowledged.append((version, upload.touched.filter { !unaffected.contains($0.key) }))
        if !unaffected.isEmpty { forget(upload.touched.filter { unaffected.contains($0.key) }) }
        return upload
    }

    /// Records that all events up to this version have arrived.
    mutating func reached(_ version: UInt64) {
        for (done, touched) in acknowledged where done <= version { forget(touched) }
        acknowledged.removeAll { $0.version <= version }
    }

    /// Records that a new stream has begun, which includes everything that was done before.
    mutating func streamBegan() {
        reached(.max)
        reported.forgetVersions()
    }

    /// Returns the local changes of an object that an event of this version does not include; nil for none.
    func pending(_ object: SyncObject, at version: UInt64) -> Upload.Touch? {
        guard touchCounts[object] != nil else { return nil }
        var result: Upload.Touch?
        for (done, touched) in acknowledged where done > version { result = Self.merged(result, touched[object]) }
        for upload in uploads { result = Self.merged(result, upload.touched[object]) }
        return result
    }

    /// Whether an upload that is not yet sent or answered concerns the object.
    func isQueued(_ object: SyncObject) -> Bool {
        touchCounts[object] != nil && uploads.contains { $0.touched[object] != nil }
    }

    static func merged(_ first: Upload.Touch?, _ second: Upload.Touch?) -> Upload.Touch? {
        switch (first, second) {
        case (let touch, nil), (nil, let touch): touch
        case (_, .deleted?): .deleted
        case (.modified(let a)?, .modified(let b)?): .modified(a.union(b))
        case (.created?, _), (_, .created?), (.deleted?, _): .created
        }
    }

    // MARK: Members

    /// Whether the gateway has reported that a query matches the object.
    func isMember(_ object: SyncObject, except number: Int? = nil) -> Bool {
        guard let place = reported.number(of: object) else { return false }
        return queries.contains {
            $0.className == object.className && $0.number != number && members[$0.number]?.contains(place) == true
        }
    }

    /// The numbers of deleted queries whose objects are still here.
    var retired: [Int] {
        let current = Set(queries.map(\.number))
        return members.keys.filter { !current.contains($0) }.sorted()
    }

    // MARK: Storing

    init() {}

    /// Loads the stored state; nil if there is none.
    init?(_ records: SyncRecords, _ schema: Schema) throws {
        guard let head = try records.read("head"), case .string(let client)? = head["client"],
            case .string(let path)? = head["path"]
        else { return nil }
        self.client = client
        self.path = path
        revision = head.int("revision") ?? 0
        scanned = Version(UInt64(clamping: head.int("scanned") ?? 0))
        next = head.int("next") ?? 0
        if case .string(let position)? = head["position"] { self.position = position }
        wasComplete = head["complete"] == .bool(true)
        if case .string(let mark)? = head["mark"] { self.mark = Mark(mark) }
        if case .string(let reset)? = head["reset"] { self.reset = Reset(rawValue: reset) }
        hasLostCommits = head["lost"] == .bool(true)
        for entry in head.array("unconfirmed") {
            if let object = SyncObject(kept: entry, in: schema) { unconfirmed.insert(object) }
        }
        queries = head.array("queries").compactMap { SyncQuery($0) }
        for case .int(let number) in head.array("members") {
            let number = Int(number)
            keptMembers.insert(number)
            guard case .string(let className)? = try records.read("members/\(number)/class"),
                let primaryKey = schema[className]?.primaryKeyProperty
            else { continue }
            var pieces: [MatchList.Piece] = []
            var known = reported.take(className)
            for case .int(let id) in try records.read("members/\(number)")?.elements ?? [] {
                let keys = try records.read("members/\(number)/\(id)")?.elements ?? []
                let numbers = keys.compactMap { key in
                    (try? ValueCoding.decode(key, as: primaryKey.type)).map { known.number(adding: $0) }
                }
                pieces.append(MatchList.Piece(id: Int(id), numbers: numbers))
            }
            reported.put(known, className)
            members[number] = MatchList(pieces: pieces)
            memberClasses[number] = className
        }
        for case .int(let number) in head.array("uploads") {
            guard let json = try records.read("upload/\(number)"), let upload = Upload(json, Int(number), schema)
            else { continue }
            add(upload)
        }
        changedUploads = []
        try held.load(records, schema)
        try unresolved.load(records, schema)
    }

    /// The classes of the lists in `members`.
    private(set) var memberClasses: [Int: String] = [:]

    mutating func addMembers(_ number: Int, of className: String) {
        members[number] = MatchList()
        memberClasses[number] = className
    }

    /// Keeps objects that no query may match any more until all queries are complete. See `settle`.
    mutating func retire(_ numbers: [ReportedClass.Number], of className: String) {
        guard !numbers.isEmpty else { return }
        let number = number()
        addMembers(number, of: className)
        _ = members[number]?.replace(with: numbers)
    }

    mutating func dropMembers(_ number: Int) {
        _ = members[number]?.replace(with: [])
        droppedMembers.insert(number)
    }

    private var droppedMembers: Set<Int> = []

    mutating func save(_ records: SyncRecords) throws {
        for number in members.keys where members[number]?.isChanged == true || !keptMembers.contains(number) {
            guard let list = members[number] else { continue }
            let name = "members/\(number)"
            for id in list.removed { try records.remove("\(name)/\(id)") }
            let known = reported[memberClasses[number] ?? ""]
            for piece in list.pieces where list.changed.contains(piece.id) {
                let json = JSONWriter(capacity: 16 * piece.numbers.count + 2)
                json.beginArray()
                for member in piece.numbers { json.value(known.key(member)) }
                json.endArray()
                try records.write(json, as: "\(name)/\(piece.id)")
            }
            if list.orderChanged { try records.write(.array(list.pieces.map { .int(Int64($0.id)) }), as: name) }
            if keptMembers.insert(number).inserted {
                try records.write(.string(memberClasses[number] ?? ""), as: "\(name)/class")
            }
            members[number]?.wasKept()
        }
        for number in droppedMembers {
            try records.remove("members/\(number)")
            try records.remove("members/\(number)/class")
            members[number] = nil
            memberClasses[number] = nil
            keptMembers.remove(number)
        }
        droppedMembers = []
        for upload in uploads where changedUploads.contains(upload.number) {
            try records.write(upload.kept, as: "upload/\(upload.number)")
        }
        for number in goneUploads { try records.remove("upload/\(number)") }
        changedUploads = []
        goneUploads = []
        try held.save(records)
        try unresolved.save(records)
        var head: JSONValue = [
            "client": .string(client), "path": .string(path), "revision": .int(Int64(revision)),
            "scanned": .int(Int64(scanned.rawValue)), "next": .int(Int64(next)),
            "position": position.map { .string($0) } ?? .null, "complete": .bool(wasComplete),
            "queries": .array(queries.map(\.kept)),
            "members": .array(keptMembers.sorted().map { .int(Int64($0)) }),
            "uploads": .array(uploads.map { .int(Int64($0.number)) }),
            "unconfirmed": .array(unconfirmed.map { [.string($0.className), $0.keyJSON] }),
        ]
        if case .object(var members) = head {
            if let mark { members.members.append(.init(name: "mark", value: .string(mark.description))) }
            if let reset { members.members.append(.init(name: "reset", value: .string(reset.rawValue))) }
            if hasLostCommits { members.members.append(.init(name: "lost", value: .bool(true))) }
            head = .object(members)
        }
        try records.write(head, as: "head")
    }
}

extension SyncState {
    /// Replaces the subscriptions. A number of 0 marks a new query, and a negative id a new subscription. Returns the
    /// new set in the same order.
    mutating func take(_ wanted: [SyncQuery]) -> [SyncQuery] {
        var changed = wanted
        for index in changed.indices where changed[index].number == 0 {
            let number = number()
            changed[index] = changed[index].numbered(changed[index].id < 0 ? number : changed[index].id, number)
            addMembers(number, of: changed[index].className)
        }
        guard changed.map(\.number) != queries.map(\.number) else { return queries }
        revision += 1
        queries = changed
        return changed
    }
}

extension SyncQuery {
    fileprivate func numbered(_ id: Int, _ number: Int) -> SyncQuery {
        SyncQuery(
            id: id, number: number, name: name, className: className, filter: filter, createdAt: createdAt,
            updatedAt: updatedAt, state: state)
    }
}
