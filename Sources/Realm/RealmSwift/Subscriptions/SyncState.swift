import Foundation
import JSONCoding
import ObjectModel
import StoreContract

/// A subscription as it is kept.
struct SyncQuery: Sendable, Equatable {
    enum State: Sendable, Equatable {
        case pending
        case complete
        case failed(code: String, message: String)
    }

    /// Stays when the query changes.
    let id: Int
    /// Of the query: what the gateway calls it, and under which its members are kept.
    var number: Int
    var name: String?
    var className: String
    /// In RQL, with stored names.
    var filter: String
    var createdAt: Timestamp
    var updatedAt: Timestamp
    var state = State.pending

    var remoteName: String { "n\(number)" }
}

/// What one local commit, or several that were collected together, did: goes up as one transaction.
struct Upload: Sendable {
    enum Touch: Sendable, Equatable {
        case created
        case modified(Set<String>)
        case deleted
    }

    struct Operation: Sendable {
        var object: SyncObject
        /// As it is sent.
        var json: JSONValue
    }

    let number: Int
    /// Of parts of one that was split, the number of that.
    var order: Int
    /// What the gateway tells repetitions by; made anew when the operations change.
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

/// Everything that a realm remembers of its gateway. A value: a work changes a copy, which counts once it is committed.
struct SyncState: Sendable {
    /// The name of the gateway's set of subscriptions; belongs to the file at `path`.
    var client = ""
    var path = ""
    /// Rises with each update of the subscriptions.
    var revision = 0
    var queries: [SyncQuery] = []
    /// By the number of the query; also of queries that are no more, until what they brought is removed.
    var members: [Int: MatchList] = [:]
    private var keptMembers: Set<Int> = []
    /// Up to here local commits have been collected into uploads.
    var scanned = Version(0)
    /// The id of the last event.
    var position: String?
    /// Whether everything that was subscribed to was here at some time.
    var wasComplete = false
    /// The next number of a query, upload or subscription.
    private var next = 1
    private(set) var uploads: [Upload] = []
    private var changedUploads: Set<Int> = []
    private var goneUploads: Set<Int> = []
    /// How many uploads, also acknowledged ones, are about an object.
    private var touchCounts: [SyncObject: Int] = [:]
    /// Uploads that the gateway has done, at a version that not all events have reached yet.
    private(set) var acknowledged: [(version: UInt64, touched: [SyncObject: Upload.Touch])] = []
    /// Rows of the gateway that were not, or not wholly, taken over, because of local changes that were on their way:
    /// `[version, row]`; a null row for an object that left.
    var held = SyncTable("held")
    /// Objects that were created here and at the gateway, and match a subscription, which has not told of them yet.
    var unconfirmed: Set<SyncObject> = []
    /// Values with links to objects that are not here, by property, as the gateway has them.
    var unresolved = SyncTable("unresolved")
    /// By the object that is missing, those that link to it.
    var waiting: [SyncObject: Set<SyncObject>] = [:]

    mutating func number() -> Int {
        defer { next += 1 }
        return next
    }

    // MARK: Uploads

    mutating func add(_ upload: Upload) {
        uploads.append(upload)
        changedUploads.insert(upload.number)
        for object in upload.touched.keys { touchCounts[object, default: 0] += 1 }
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
        for object in uploads[index].touched.keys { touchCounts[object, default: 0] += 1 }
        changedUploads.insert(number)
    }

    /// Makes two of an upload that is too large for the gateway.
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

    /// Takes an upload out: it was done, or refused.
    ///
    /// - Parameter unaffected: objects that no event comes of.
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

    /// All events up to this version have come.
    mutating func reached(_ version: UInt64) {
        for (done, touched) in acknowledged where done <= version { forget(touched) }
        acknowledged.removeAll { $0.version <= version }
    }

    /// What a new stream tells knows of everything that was done before.
    mutating func streamBegan() { reached(.max) }

    /// What local changes of an object an event of this version does not know of; nil for none.
    func pending(_ object: SyncObject, at version: UInt64) -> Upload.Touch? {
        guard touchCounts[object] != nil else { return nil }
        var result: Upload.Touch?
        for (done, touched) in acknowledged where done > version { result = Self.merged(result, touched[object]) }
        for upload in uploads { result = Self.merged(result, upload.touched[object]) }
        return result
    }

    /// Whether something that was not sent yet, or not answered, is about the object.
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

    /// Whether the gateway says that some query matches the object.
    func isMember(_ object: SyncObject, except number: Int? = nil) -> Bool {
        queries.contains {
            $0.className == object.className && $0.number != number
                && members[$0.number]?.contains(object.key) == true
        }
    }

    /// Numbers of queries that are no more, whose objects are still here.
    var retired: [Int] {
        let current = Set(queries.map(\.number))
        return members.keys.filter { !current.contains($0) }.sorted()
    }

    // MARK: Keeping

    init() {}

    /// As it was kept; nil when nothing was.
    init?(_ records: SyncRecords, _ schema: StoredSchema) throws {
        guard let head = try records.read("head"), case .string(let client)? = head["client"],
            case .string(let path)? = head["path"]
        else { return nil }
        self.client = client
        self.path = path
        revision = head.int("revision")
        scanned = Version(UInt64(head.int("scanned")))
        next = head.int("next")
        if case .string(let position)? = head["position"] { self.position = position }
        wasComplete = head["complete"] == .bool(true)
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
            for case .int(let id) in try records.read("members/\(number)")?.elements ?? [] {
                let keys = try records.read("members/\(number)/\(id)")?.elements ?? []
                pieces.append(
                    MatchList.Piece(
                        id: Int(id), keys: keys.compactMap { try? ValueCoding.decode($0, as: primaryKey.type) }))
            }
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

    /// The classes of lists of members.
    private(set) var memberClasses: [Int: String] = [:]

    mutating func addMembers(_ number: Int, of className: String) {
        members[number] = MatchList()
        memberClasses[number] = className
    }

    mutating func dropMembers(_ number: Int) {
        members[number]?.replace(with: [])
        droppedMembers.insert(number)
    }

    private var droppedMembers: Set<Int> = []

    mutating func save(_ records: SyncRecords) throws {
        for (number, list) in members {
            let name = "members/\(number)"
            for id in list.removed { try records.remove("\(name)/\(id)") }
            for piece in list.pieces where list.changed.contains(piece.id) {
                let keys = piece.keys.map { SyncObject("", $0).keyJSON }
                try records.write(.array(keys), as: "\(name)/\(piece.id)")
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
        let head: JSONValue = [
            "client": .string(client), "path": .string(path), "revision": .int(Int64(revision)),
            "scanned": .int(Int64(scanned.rawValue)), "next": .int(Int64(next)),
            "position": position.map { .string($0) } ?? .null, "complete": .bool(wasComplete),
            "queries": .array(queries.map(\.kept)),
            "members": .array(keptMembers.sorted().map { .int(Int64($0)) }),
            "uploads": .array(uploads.map { .int(Int64($0.number)) }),
            "unconfirmed": .array(unconfirmed.map { [.string($0.className), $0.keyJSON] }),
        ]
        try records.write(head, as: "head")
    }
}
