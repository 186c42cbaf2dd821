import Gateway
import JSONCoding
import ObjectModel
import StoreContract

/// Writes objects of one snapshot, a block of them at a time.
struct ObjectExporter {
    private let snapshot: any Snapshot
    private let objectClass: ClassSchema
    private let properties: [PropertySchema]
    private let plan: RowPlan
    /// Of each property, what its fields in CSV hold.
    private let contents: [CSVContent]

    private static let blockSize = 1000

    /// Throws `CommandFailure` for links to objects that have no primary key to write.
    init(snapshot: any Snapshot, objectClass: ClassSchema, properties: [PropertySchema]) throws {
        for property in properties where property.type.isLink && !property.ownsTarget {
            guard property.targetClass.flatMap({ snapshot.schema[$0]?.primaryKey }) != nil else {
                throw CommandFailure(
                    "'\(property.name)' links to a class without a primary key, so its links cannot be exported. Leave it out with --fields."
                )
            }
        }
        self.snapshot = snapshot
        self.objectClass = objectClass
        self.properties = properties
        do {
            contents = try properties.map { try CSVContent($0, in: snapshot.schema) }
        } catch let fault as RecordFault {
            throw CommandFailure(fault.message)
        }
        plan = RowPlan(exporting: properties, of: objectClass, schema: snapshot.schema)
    }

    /// - Parameter progress: told the number of objects written so far.
    func write(_ keys: [ObjectKey], as format: FileFormat, to sink: ByteSink, progress: (Int) -> Void) throws {
        let writer = JSONWriter()
        if format == .csv { try sink.write { CSVText.append(properties.map(\.name), to: &$0) } }
        for start in stride(from: 0, to: keys.count, by: Self.blockSize) {
            let block = Array(keys[start..<min(start + Self.blockSize, keys.count)])
            do {
                switch format {
                case .ndjson:
                    writer.removeAll()
                    try plan.writeLines(block, of: snapshot, into: writer)
                    try sink.write { bytes in writer.withBytes { bytes.append(contentsOf: $0) } }
                case .csv: try writeRecords(block, to: sink, writer)
                }
            } catch let problem as Problem {
                throw CommandFailure(problem.detail)
            }
            progress(start + block.count)
        }
    }

    private func writeRecords(_ keys: [ObjectKey], to sink: ByteSink, _ writer: JSONWriter) throws {
        var rows = ExportRows(width: properties.count)
        try snapshot.read(objectClass.id, keys, properties.map(\.id), into: &rows)
        for row in rows.rows {
            try sink.write { bytes in
                CSVText.append(try properties.indices.map { try text(of: row[$0], $0, writer) }, to: &bytes)
            }
        }
    }

    /// The field of a column's value; nil for null.
    private func text(of value: Value, _ column: Int, _ writer: JSONWriter) throws -> String? {
        if value.isNull { return nil }
        let property = properties[column]
        switch contents[column] {
        case .scalar: return FieldText.text(of: value)
        case .link:
            guard case .link(let key) = value, let target = property.targetClass,
                let primaryKey = snapshot.schema[target]?.primaryKeyProperty
            else { return nil }
            return FieldText.text(of: try snapshot.value(target, key, primaryKey.id))
        case .json:
            writer.removeAll()
            try plan.writeExported(value, of: property.id, snapshot, into: writer)
            return String(decoding: writer.bytes, as: UTF8.self)
        }
    }
}
