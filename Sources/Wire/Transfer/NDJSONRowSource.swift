import JSONCoding
package import ObjectCoding
package import ObjectModel

/// The rows of a file with one JSON object per line; empty lines are skipped.
package struct NDJSONRowSource: RowSource {
    /// Enough for a value of the maximum size, whose text may be a third longer.
    private static let lineLimit = 64 << 20

    private let source: ByteSource
    private let objectClass: ClassSchema
    private let reader: ObjectInputReader
    package private(set) var line = 0

    package init(_ source: ByteSource, class objectClass: ClassSchema, schema: Schema) {
        self.source = source
        self.objectClass = objectClass
        reader = ObjectInputReader(schema: schema)
    }

    package var position: Int { source.place }
    package var size: Int? { source.size }
    package var expanded: Int { source.count }

    package mutating func next() throws -> Result<ImportedRow, LineFault>? {
        while true {
            var bytes: [UInt8] = []
            line += 1
            let more = try source.read(upTo: UInt8(ascii: "\n"), into: &bytes, limit: Self.lineLimit)
            let isBlank = bytes.allSatisfy { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") || $0 == 0x0D }
            guard !isBlank else {
                if more { continue }
                return nil
            }
            do {
                return .success(ImportedRow(line: line, input: try input(bytes)))
            } catch let fault as RecordFault {
                return .failure(LineFault(fault, line: line))
            }
        }
    }

    private func input(_ bytes: [UInt8]) throws -> ObjectInput {
        let document: JSONValue
        do {
            document = try JSONValue.parse(bytes)
        } catch {
            throw RecordFault(error.message)
        }
        guard case .object = document else {
            throw RecordFault("Each line must be a JSON object; this is \(document.inWords).")
        }
        do {
            return try reader.object(document, objectClass)
        } catch {
            throw RecordFault(error)
        }
    }
}
