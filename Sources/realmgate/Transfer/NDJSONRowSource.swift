import JSONCoding
import ObjectModel

/// Rows of a file with one JSON object per line; empty lines are skipped.
struct NDJSONRowSource: RowSource {
    private static let lineLimit = 16 << 20

    private let source: ByteSource
    private let objectClass: ClassSchema
    private let schema: Schema
    private var line = 0

    init(_ source: ByteSource, class objectClass: ClassSchema, schema: Schema) {
        self.source = source
        self.objectClass = objectClass
        self.schema = schema
    }

    mutating func next() throws -> Result<ImportedRow, LineFault>? {
        while true {
            var bytes: [UInt8] = []
            let more = try source.read(upTo: UInt8(ascii: "\n"), into: &bytes, limit: Self.lineLimit)
            line += 1
            let isBlank = bytes.allSatisfy { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") || $0 == 0x0D }
            guard !isBlank else {
                if more { continue }
                return nil
            }
            do {
                return .success(try row(bytes))
            } catch let fault as RecordFault {
                return .failure(LineFault(line: line, message: fault.message))
            }
        }
    }

    private func row(_ bytes: [UInt8]) throws -> ImportedRow {
        let document: JSONValue
        do {
            document = try JSONValue.parse(bytes)
        } catch {
            throw RecordFault(error.message)
        }
        guard case .object(let object) = document else {
            throw RecordFault("Each line is a JSON object; here is \(document.inWords).")
        }
        var row = ImportedRow(line: line)
        for member in object.members {
            let property = try objectClass.importable(member.name)
            row.contents[property.id] = try content(member.value, property)
        }
        return row
    }

    private func content(_ json: JSONValue, _ property: PropertySchema) throws -> ImportedRow.Content {
        do {
            switch try ImportTarget(property, in: schema) {
            case .value(let type): return .value(try ValueCoding.decode(json, as: type))
            case .link(let keyType):
                if json == .null { return .value(.null) }
                return .link(primaryKey: try ValueCoding.decode(json, as: keyType))
            }
        } catch let fault as ValueFault {
            throw RecordFault(fault.sentence(property.name))
        }
    }
}
