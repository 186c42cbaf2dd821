package import JSONCoding
package import ObjectModel
package import StoreContract

/// Writes objects as JSON: as a sink of a snapshot's rows, which are written as they lie in the store, and object by
/// object within a write transaction.
struct RowWriter: RowSink {
    private let plan: RowPlan
    private let json: JSONWriter
    private let look: LookUps
    private var key = ObjectKey(0)
    /// The column that is written next.
    private var next = 0

    init(_ plan: RowPlan, _ json: JSONWriter, _ look: LookUps) {
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

    mutating func data(_ column: Int, _ bytes: UnsafeBufferPointer<UInt8>) {
        name()
        json.data(bytes, plan.style)
    }

    mutating func decimal(_ column: Int, _ value: Decimal128) {
        name()
        json.decimal(value, plan.style)
    }

    mutating func link(_ column: Int, _ target: ObjectKey) { value(.link(target)) }

    mutating func value(_ column: Int, _ value: Value) { self.value(value) }

    mutating func endObject() {
        writeComputed()
        json.endObject()
        if plan.endsLines { json.endLine() }
    }

    /// One value of a stored column.
    mutating func value(_ value: Value) {
        name()
        look.write(value, plan.columns[next - 1], plan.style, json)
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
            for origin in look.linking(to: key, place, property) { look.link(origin, place, plan.style, json) }
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

    /// Writes one value of a column that the plan has; null for other columns.
    func write(
        _ value: Value, of property: PropertyID, _ snapshot: any Snapshot, into json: JSONWriter
    ) throws { try write(value, of: property, LookUps(.snapshot(snapshot)), json) }

    /// `write` of a value that the property had at an earlier version.
    func write(
        _ value: Value, of property: PropertyID, past reads: any ObjectReads, into json: JSONWriter
    ) throws { try write(value, of: property, LookUps(.past(reads)), json) }

    /// `write` for a file that is to be imported: throws a problem for links to objects without a primary key, whose
    /// object keys mean nothing elsewhere.
    package func writeExported(
        _ value: Value, of property: PropertyID, _ snapshot: any Snapshot, into json: JSONWriter
    ) throws { try write(value, of: property, LookUps(.snapshot(snapshot), needsPrimaryKeys: true), json) }

    /// Writes one line for each key that exists, in their order. Throws as `writeExported` when it is for import.
    package func writeLines(
        _ keys: [ObjectKey], of snapshot: any Snapshot, into json: JSONWriter, forImport: Bool = true
    ) throws {
        let look = LookUps(.snapshot(snapshot), remembers: true, needsPrimaryKeys: forImport)
        var sink = RowWriter(self, json, look)
        try snapshot.read(classID, keys, stored, into: &sink)
        if let fault = look.fault { throw fault }
    }

    private func write(_ value: Value, of property: PropertyID, _ look: LookUps, _ json: JSONWriter) throws {
        guard let column = columns.first(where: { $0.property == property }) else { return json.null() }
        look.write(value, column, style, json)
        if let fault = look.fault { throw fault }
    }
}

extension RowPlan.Column {
    /// The stored property; nil for a computed one.
    fileprivate var property: PropertyID? {
        switch kind {
        case .value(let property, _), .link(let property, _): property
        case .linkingObjects: nil
        }
    }
}
