import JSONCoding
import ObjectModel
import StoreContract

/// Writes objects of one snapshot, a block of them at a time.
struct ObjectExporter {
    let snapshot: any Snapshot
    let objectClass: ClassSchema
    let properties: [PropertySchema]

    private static let blockSize = 1000

    /// - Parameter progress: told the number of objects written so far.
    func write(_ keys: [ObjectKey], as format: FileFormat, to sink: ByteSink, progress: (Int) -> Void) throws {
        let names = properties.map { JSONWriter.escapedName($0.name) }
        let writer = JSONWriter()
        var rows = try ExportRows(properties, of: snapshot)
        let ids = properties.map(\.id)
        if format == .csv { try sink.write { CSVText.append(properties.map(\.name), to: &$0) } }
        for start in stride(from: 0, to: keys.count, by: Self.blockSize) {
            let block = Array(keys[start..<min(start + Self.blockSize, keys.count)])
            rows.removeAll()
            try snapshot.read(objectClass.id, block, ids, into: &rows)
            if let fault = rows.fault { throw fault }
            try sink.write { bytes in
                for row in rows.rows {
                    switch format {
                    case .ndjson: append(row, names, writer, to: &bytes)
                    case .csv: CSVText.append(row.map { FieldText.text(of: $0.value) }, to: &bytes)
                    }
                }
            }
            progress(start + block.count)
        }
    }

    /// One object and a line end.
    private func append(_ row: [ExportedValue], _ names: [[UInt8]], _ writer: JSONWriter, to bytes: inout [UInt8]) {
        writer.removeAll()
        writer.beginObject()
        for (name, exported) in zip(names, row) {
            writer.name(escaped: name)
            writer.value(exported.value)
        }
        writer.endObject()
        writer.withBytes { bytes.append(contentsOf: $0) }
        bytes.append(UInt8(ascii: "\n"))
    }
}

extension ExportedValue {
    /// The value itself, or what a link is written as.
    fileprivate var value: Value {
        switch self {
        case .value(let value), .link(primaryKey: let value): value
        }
    }
}
