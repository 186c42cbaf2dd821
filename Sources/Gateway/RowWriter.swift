import JSONCoding
import ObjectModel
import StoreContract

/// Writes objects as JSON: as a sink of a snapshot's rows, which are written as they lie in the store, and object by
/// object within a write transaction.
struct RowWriter: RowSink {
    private let plan: RowPlan
    private let json: JSONWriter
    private let look: LookUps
    private var key = ObjectKey(0)
    /// The column that is written next.
    private var next = 0

    fileprivate init(_ plan: RowPlan, _ json: JSONWriter, _ look: LookUps) {
        self.plan = plan
        self.json = json
        self.look = look
    }

    mutating func beginObject(_ key: ObjectKey) {
        self.key = key
        next = 0
        json.beginObject()
        if plan.writesObjectKey {
            json.name(escaped: RowPlan.keyName)
            json.int(key.rawValue)
        }
    }

    mutating func null(_ column: Int) {
        name()
        json.null()
    }

    mutating func bool(_ column: Int, _ value: Bool) {
        name()
        json.bool(value)
    }

    mutating func int(_ column: Int, _ value: Int64) {
        name()
        json.int(value)
    }

    mutating func float(_ column: Int, _ value: Float) {
        name()
        json.float(value)
    }

    mutating func double(_ column: Int, _ value: Double) {
        name()
        json.double(value)
    }

    mutating func string(_ column: Int, _ utf8: UnsafeBufferPointer<UInt8>) {
        name()
        json.string(utf8: utf8)
    }

    mutating func date(_ column: Int, _ value: Timestamp) {
        name()
        json.date(value, plan.style)
    }

    mutating func objectId(_ column: Int, _ value: ObjectId) {
        name()
        json.objectId(value, plan.style)
    }

    mutating func uuid(_ column: Int, _ value: UUIDValue) {
        name()
        json.uuid(value, plan.style)
    }

    mutating func data(_ column: Int, _ bytes: UnsafeBufferPointer<UInt8>) { null(column) }

    mutating func decimal(_ column: Int, _ value: Decimal128) { null(column) }

    mutating func value(_ column: Int, _ value: Value) { null(column) }

    mutating func link(_ column: Int, _ target: ObjectKey) {
        name()
        guard case .link(_, let place) = plan.columns[next - 1].kind else { return json.int(target.rawValue) }
        look.write(target, place, plan.style, json)
    }

    mutating func endObject() {
        writeComputed()
        json.endObject()
    }

    /// One value of a stored column.
    mutating func value(_ value: Value) {
        if case .link(let target) = value { return link(next, target) }
        name()
        json.value(value, plan.style)
    }

    /// Writes the name of the next stored column, after the computed ones before it.
    private mutating func name() {
        writeComputed()
        json.name(escaped: plan.columns[next].name)
        next += 1
    }

    private mutating func writeComputed() {
        while next < plan.columns.count, case .linkingObjects(let property, let place) = plan.columns[next].kind {
            json.name(escaped: plan.columns[next].name)
            json.beginArray()
            for origin in look.linking(to: key, place, property) { look.write(origin, place, plan.style, json) }
            json.endArray()
            next += 1
        }
    }
}

extension RowPlan {
    /// Writes one JSON object for each key that exists, in their order.
    func write(_ keys: [ObjectKey], of snapshot: any Snapshot, into json: JSONWriter) throws {
        let look = LookUps(.snapshot(snapshot), remembers: keys.count > 4)
        var sink = RowWriter(self, json, look)
        try snapshot.read(classID, keys, stored, into: &sink)
        if let fault = look.fault { throw fault }
    }

    /// Writes one object as a transaction has it. The plan has stored columns only.
    func write(_ key: ObjectKey, of transaction: any WriteTransaction, into json: JSONWriter) throws {
        let look = LookUps(.transaction(transaction))
        var sink = RowWriter(self, json, look)
        sink.beginObject(key)
        for property in stored { sink.value(try transaction.value(classID, key, property)) }
        sink.endObject()
        if let fault = look.fault { throw fault }
    }

    /// Writes one value of a column that the plan has; nothing of other columns.
    func write(
        _ value: Value, of property: PropertyID, _ snapshot: any Snapshot, into json: JSONWriter
    ) throws {
        guard case .link(let key) = value else { return json.value(value, style) }
        let look = LookUps(.snapshot(snapshot))
        for column in columns {
            if case .link(property, let place) = column.kind { look.write(key, place, style, json) }
        }
        if let fault = look.fault { throw fault }
    }
}

/// Reads what links lead to. A sink cannot throw, so the first fault is kept, after which `null` is written.
private final class LookUps {
    enum Source {
        case snapshot(any Snapshot)
        case transaction(any WriteTransaction)
    }

    private let source: Source
    private(set) var fault: (any Error)?
    /// How many more objects may be written in place of links.
    private var remaining = LookUps.limit

    /// Primary keys by class and object: many objects tend to link to few.
    private var known: [ClassID: [ObjectKey: Value]] = [:]
    private let remembers: Bool

    private static let limit = 100_000

    init(_ source: Source, remembers: Bool = false) {
        self.source = source
        self.remembers = remembers
    }

    /// Writes a link's target: as an object, as its primary key, or as a typed link.
    func write(_ key: ObjectKey, _ place: RowPlan.Target, _ style: TypeStyle, _ json: JSONWriter) {
        guard fault == nil else { return json.null() }
        do {
            if let plan = place.expanded, case .snapshot(let snapshot) = source {
                remaining -= 1
                guard remaining >= 0 else {
                    throw Problem(
                        400, "parameter.expansion_too_large",
                        "'expand' would write more than \(Self.limit) objects. Ask for a smaller page or expand less.",
                        parameter: "expand")
                }
                var sink = RowWriter(plan, json, self)
                try snapshot.read(plan.classID, [key], plan.stored, into: &sink)
            } else if let primaryKey = place.primaryKey {
                json.value(try self.primaryKey(place.classID, key, primaryKey), style)
            } else {
                json.link(class: place.className, key: key)
            }
        } catch let error as StoreError where error.code == .notFound {
            // The old value of a link may lead to an object that is gone.
            json.link(class: place.className, key: key)
        } catch {
            fault = error
            json.null()
        }
    }

    func linking(to key: ObjectKey, _ place: RowPlan.Target, _ property: PropertyID) -> [ObjectKey] {
        guard fault == nil, case .snapshot(let snapshot) = source else { return [] }
        do {
            return try snapshot.backlinks(to: key, from: place.classID, property)
        } catch {
            fault = error
            return []
        }
    }

    private func primaryKey(_ classID: ClassID, _ key: ObjectKey, _ property: PropertyID) throws -> Value {
        if remembers, let value = known[classID]?[key] { return value }
        let value =
            switch source {
            case .snapshot(let snapshot): try snapshot.value(classID, key, property)
            case .transaction(let transaction): try transaction.value(classID, key, property)
            }
        if remembers { known[classID, default: [:]][key] = value }
        return value
    }
}
