package import JSONCoding
package import ObjectModel
package import StoreContract

/// Writes objects as JSON: as a sink of a snapshot's rows, directly from the stored form, or object by object within a
/// write transaction.
///
/// A class whose parts are constants, so that passing a value on counts no references. Its variables are not checked
/// for overlapping accesses: one thread at a time uses it, and each access is of one number, done before anything else
/// is called.
package final class RowWriter: RowSink {
    private let plan: RowPlan
    private let json: JSONWriter
    private let look: LinkResolver
    @exclusivity(unchecked) private var key = ObjectKey(0)
    /// The column that is written next.
    @exclusivity(unchecked) private var next = 0

    /// The size at which it accepts no more objects; nil for no limit.
    private let fullAt: Int?

    package init(_ plan: RowPlan, _ json: JSONWriter, _ look: LinkResolver, fullAt: Int? = nil) {
        self.plan = plan
        self.json = json
        self.look = look
        self.fullAt = fullAt
    }

    package var isFull: Bool { look.fault != nil || json.count >= fullAt ?? .max }

    package func wants(_ size: () throws -> Int) throws -> Bool { try look.wants(size) }

    package func beginObject(_ key: ObjectKey) {
        self.key = key
        next = 0
        if fullAt != nil { look.begin(json) }
        json.beginObject()
        if plan.writesObjectKey {
            json.name(escaped: RowPlan.keyName)
            json.int(key.rawValue)
        }
    }

    package func null(_ column: Int) {
        name()
        json.null()
    }

    package func bool(_ column: Int, _ value: Bool) {
        name()
        json.bool(value)
    }

    package func int(_ column: Int, _ value: Int64) {
        name()
        json.int(value)
    }

    package func float(_ column: Int, _ value: Float) {
        name()
        json.float(value, plan.style)
    }

    package func double(_ column: Int, _ value: Double) {
        name()
        json.double(value, plan.style)
    }

    package func string(_ column: Int, _ utf8: UnsafeBufferPointer<UInt8>) {
        name()
        json.string(utf8: utf8)
    }

    package func date(_ column: Int, _ value: Timestamp) {
        name()
        json.date(value, plan.style)
    }

    package func objectId(_ column: Int, _ value: ObjectId) {
        name()
        json.objectId(value, plan.style)
    }

    package func uuid(_ column: Int, _ value: UUIDValue) {
        name()
        json.uuid(value, plan.style)
    }

    package func data(_ column: Int, _ bytes: UnsafeBufferPointer<UInt8>) {
        name()
        json.data(bytes, plan.style)
    }

    package func decimal(_ column: Int, _ value: Decimal128) {
        name()
        json.decimal(value, plan.style)
    }

    package func link(_ column: Int, _ target: ObjectKey) { value(.link(target)) }

    package func value(_ column: Int, _ value: Value) { self.value(value) }

    package var takesElements: Bool { true }

    package func beginElements(_ column: Int) {
        name()
        json.beginArray()
    }

    package func elements(_ values: [Value]) throws -> Bool {
        for value in values { look.write(value, plan.columns[next - 1], plan.style, json) }
        look.countMemory(json)
        return look.fault == nil
    }

    package func endElements() { json.endArray() }

    package func endObject() {
        writeComputed()
        json.endObject()
        look.count(json)
        if plan.endsLines { json.endLine() }
    }

    /// Writes one value of a stored column.
    package func value(_ value: Value) {
        name()
        look.write(value, plan.columns[next - 1], plan.style, json)
    }

    /// Writes the name of the next stored column, after the computed columns before it.
    private func name() {
        writeComputed()
        json.name(next, of: plan.names)
        next += 1
    }

    private func writeComputed() {
        guard plan.hasComputed else { return }
        while next < plan.columns.count, case .linkingObjects(let property, let target) = plan.columns[next] {
            json.name(next, of: plan.names)
            json.beginArray()
            for origin in look.linking(to: key, target, property) {
                look.check(json)
                look.link(origin, target, plan.style, json)
                // Further values would be null.
                if look.fault != nil { break }
            }
            json.endArray()
            next += 1
        }
    }
}

extension RowPlan {
    /// Writes one JSON object for each existing key, in order.
    ///
    /// - Parameter responseLimit: the maximum number of bytes; 400 beyond. A single object is always written.
    package func write(
        _ keys: [ObjectKey], of snapshot: any Snapshot, into json: JSONWriter, responseLimit: Int = .max
    ) throws {
        let look = LinkResolver(snapshot, remembers: keys.count > 4, responseLimit: responseLimit)
        guard responseLimit < .max else {
            look.begin(json)
            var sink = RowWriter(self, json, look)
            try snapshot.read(classID, keys, stored, into: &sink)
            if let fault = look.fault { throw fault }
            return
        }
        let end = json.count + responseLimit
        let count = try write(keys, of: snapshot, by: look, until: end, into: json)
        if let fault = look.fault { throw fault }
        guard count == keys.count, keys.count == 1 || json.count <= end else {
            throw Problem.answerTooLarge(responseLimit)
        }
    }

    /// Writes objects until the size is reached or one cannot be written. The latter is removed from the output, and
    /// its error is in `look`.
    ///
    /// - Returns: the number of keys processed, without the failed one.
    package func write(
        _ keys: [ObjectKey], of snapshot: any Snapshot, by look: LinkResolver, until fullAt: Int, into json: JSONWriter
    ) throws -> Int {
        var sink = RowWriter(self, json, look, fullAt: fullAt)
        let count = try snapshot.read(classID, keys, stored, into: &sink)
        guard look.fault != nil, let beginning = look.beginning else { return count }
        json.goBack(to: beginning)
        return count - 1
    }

    /// Writes one object. Throws `notFound` if it does not exist.
    package func write(_ key: ObjectKey, of context: any ReadContext, into json: JSONWriter) throws {
        let look = LinkResolver(context)
        try look.object(key, self, json)
        if let fault = look.fault { throw fault }
    }

    /// Writes one value of a column; null for columns that the plan does not have.
    ///
    /// - Parameter responseLimit: the maximum number of bytes with objects in place of links; 400 beyond.
    package func write(
        _ value: Value, of property: PropertyID, _ context: any ReadContext, into json: JSONWriter,
        responseLimit: Int = .max
    ) throws {
        let look = LinkResolver(context, responseLimit: responseLimit)
        look.begin(json)
        try write(value, of: property, look, json)
    }

    /// Writes elements of a property of the plan, as an array.
    ///
    /// - Parameter responseLimit: the maximum number of bytes; 400 beyond.
    package func write(
        _ elements: some Sequence<Value>, of property: PropertyID, _ context: any ReadContext, into json: JSONWriter,
        responseLimit: Int
    ) throws {
        var writer = try ElementWriter(self, property, context, json, responseLimit: responseLimit)
        json.beginArray()
        for element in elements { try writer.write(element) }
        json.endArray()
    }

    /// Writes entries of a map, as an object.
    package func write(
        _ entries: [(String, Value)], of property: PropertyID, _ snapshot: any Snapshot, into json: JSONWriter,
        responseLimit: Int
    ) throws {
        var writer = try ElementWriter(self, property, snapshot, json, responseLimit: responseLimit)
        json.beginObject()
        for (key, element) in entries {
            json.name(key)
            try writer.write(element)
        }
        json.endObject()
    }

    /// Writes an object for a file that will be imported: throws a problem for links to objects without a primary key,
    /// whose object keys have no meaning elsewhere.
    package func writeExported(
        _ value: Value, of property: PropertyID, _ snapshot: any Snapshot, into json: JSONWriter
    ) throws { try write(value, of: property, LinkResolver(snapshot, needsPrimaryKeys: true), json) }

    /// Writes one line for each existing key, in order. Throws as `writeExported` if it is for import.
    package func writeLines(
        _ keys: [ObjectKey], of snapshot: any Snapshot, into json: JSONWriter, forImport: Bool = true
    ) throws {
        let look = LinkResolver(snapshot, remembers: true, needsPrimaryKeys: forImport)
        var sink = RowWriter(self, json, look)
        try snapshot.read(classID, keys, stored, into: &sink)
        if let fault = look.fault { throw fault }
    }

    private func write(_ value: Value, of property: PropertyID, _ look: LinkResolver, _ json: JSONWriter) throws {
        guard let column = columns.first(where: { $0.property == property }) else { return json.null() }
        look.write(value, column, style, json)
        look.count(json)
        if let fault = look.fault { throw fault }
    }
}

/// Writes elements of one object's collection one by one, and limits their size.
package struct ElementWriter {
    private let column: RowPlan.Column
    private let style: TypeStyle
    private let json: JSONWriter
    private let look: LinkResolver
    private var count = 0

    /// - Parameter property: a property of the plan.
    package init(
        _ plan: RowPlan, _ property: PropertyID, _ context: any ReadContext, _ json: JSONWriter, responseLimit: Int
    ) throws {
        guard let column = plan.columns.first(where: { $0.property == property }) else {
            throw StoreError(.unknownProperty, "There is no such property.")
        }
        self.column = column
        self.json = json
        style = plan.style
        look = LinkResolver(context, remembers: true, responseLimit: responseLimit)
        look.begin(json)
    }

    package mutating func write(_ element: Value) throws {
        look.write(element, column, style, json)
        count += 1
        // A single element is always written, however large.
        if count > 1 { look.check(json) } else { look.count(json) }
        if let fault = look.fault { throw fault }
    }
}

extension RowPlan.Column {
    /// The stored property; nil for a computed one.
    fileprivate var property: PropertyID? {
        switch self {
        case .value(let property, _), .link(let property, _): property
        case .linkingObjects: nil
        }
    }
}
