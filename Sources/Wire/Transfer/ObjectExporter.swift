import JSONCoding
import ObjectCoding
package import ObjectModel
package import QueryLanguage
package import StoreContract

/// Writes objects of one snapshot, a block at a time. Used by one thread at a time. Memory: a block and, if the query
/// has a filter, sort, distinct or limit, eight bytes for each object of its result.
package final class ObjectExporter {
    private let snapshot: any Snapshot
    private let objectClass: ClassSchema
    private let properties: [PropertySchema]
    private let plan: RowPlan
    /// The contents of each property's fields in CSV.
    private let contents: [CSVContent]

    private let query: BoundQuery
    private let format: TransferFormat
    private let escapesFormulas: Bool
    private let writer = JSONWriter()
    /// The keys to write, in order; nil if they are looked up block by block.
    private let chosen: [ObjectKey]?
    /// The last key, after which the lookup continues.
    private var last: ObjectKey?
    private var isAtEnd = false
    private var isAtStart = true

    /// The number of objects written so far.
    package private(set) var count = 0

    private static let blockSize = 1000

    /// Throws `TransferError` for links to objects without a primary key.
    ///
    /// - Parameter escapesFormulas: for CSV; see `CSVFormulas`.
    package init(
        _ snapshot: any Snapshot, _ query: BoundQuery, of objectClass: ClassSchema, properties: [PropertySchema],
        as format: TransferFormat, escapesFormulas: Bool = false
    ) throws {
        for property in properties where property.type.isLink && !property.ownsTarget {
            guard property.targetClass.flatMap({ snapshot.schema[$0]?.primaryKey }) != nil else {
                throw TransferError(
                    "'\(property.name)' links to a class without a primary key, so its links cannot be exported. Omit it: name the properties that you want."
                )
            }
        }
        self.snapshot = snapshot
        self.query = query
        self.objectClass = objectClass
        self.properties = properties
        self.format = format
        self.escapesFormulas = escapesFormulas
        do {
            contents = try properties.map { try CSVContent($0, in: snapshot.schema) }
        } catch let fault as RecordError {
            throw TransferError(fault.message)
        }
        plan = RowPlan(exporting: properties, of: objectClass, schema: snapshot.schema)
        chosen = query.steps.isEmpty && query.scope == .all ? nil : try snapshot.select(query, .all)
    }

    /// Appends the next objects, and before the first ones the header of the file. Returns false at the end.
    package func next(into bytes: inout [UInt8]) throws -> Bool {
        if isAtStart, format == .csv { CSVText.append(properties.map { safe($0.name) }, to: &bytes) }
        defer { isAtStart = false }
        let keys = try nextKeys()
        guard !keys.isEmpty else { return isAtStart && !bytes.isEmpty }
        switch format {
        case .ndjson:
            writer.removeAll()
            try plan.writeLines(keys, of: snapshot, into: writer)
            writer.withBytes { bytes.append(contentsOf: $0) }
        case .csv: try writeRecords(keys, to: &bytes)
        }
        count += keys.count
        return true
    }

    private func nextKeys() throws -> [ObjectKey] {
        if let chosen { return Array(chosen[count..<min(count + Self.blockSize, chosen.count)]) }
        guard !isAtEnd else { return [] }
        let cursor = last.map { Cursor(values: [], key: $0) }
        let keys = try snapshot.select(query, Window(after: cursor, limit: Self.blockSize))
        last = keys.last
        isAtEnd = keys.count < Self.blockSize
        return keys
    }

    private func writeRecords(_ keys: [ObjectKey], to bytes: inout [UInt8]) throws {
        var rows = ExportRows(width: properties.count)
        try snapshot.read(objectClass.id, keys, properties.map(\.id), into: &rows)
        for row in rows.rows {
            CSVText.append(try properties.indices.map { try text(of: row[$0], $0) }, to: &bytes)
        }
    }

    private func safe(_ text: String) -> String { escapesFormulas ? CSVFormulas.escaped(text) : text }

    /// Returns the field for a column's value; nil for null.
    private func text(of value: Value, _ column: Int) throws -> String? {
        if value.isNull { return nil }
        let property = properties[column]
        switch contents[column] {
        case .scalar:
            let text = FieldText.text(of: value)
            return property.type.hasFreeText ? text.map(safe) : text
        case .link:
            guard case .link(let key) = value, let target = property.targetClass,
                let primaryKey = snapshot.schema[target]?.primaryKeyProperty
            else { return nil }
            let text = FieldText.text(of: try snapshot.value(target, key, primaryKey.id))
            return primaryKey.type.hasFreeText ? text.map(safe) : text
        case .json:
            writer.removeAll()
            try plan.writeExported(value, of: property.id, snapshot, into: writer)
            return String(decoding: writer.bytes, as: UTF8.self)
        }
    }
}
