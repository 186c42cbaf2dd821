import JSONCoding
package import ObjectCoding
package import ObjectModel

/// The rows of a file with one JSON object per line; empty lines are skipped.
package struct NDJSONRowSource: RowSource {
    private let source: ByteSource
    private let objectClass: ClassSchema
    private let reader: ObjectInputReader
    private var lines: NDJSONReader

    package init(_ source: ByteSource, class objectClass: ClassSchema, schema: Schema) {
        self.source = source
        lines = NDJSONReader(source)
        self.objectClass = objectClass
        reader = ObjectInputReader(schema: schema, readsColumns: true)
    }

    package var position: Int { source.place }
    package var size: Int? { source.size }
    package var expanded: Int { source.count }
    package var line: Int { lines.line }

    package mutating func next() throws -> Result<ImportedRow, LineFault>? {
        guard let bytes = try lines.next() else { return nil }
        let memory = lines.takeMemory()
        do {
            return .success(ImportedRow(line: line, input: try input(bytes), memory: memory))
        } catch let fault as RecordFault {
            return .failure(LineFault(fault, line: line))
        }
    }

    private func input(_ bytes: [UInt8]) throws -> ObjectInput {
        let object = try lines.object(bytes)
        do {
            return try reader.object(.object(object), objectClass)
        } catch {
            throw RecordFault(error)
        }
    }
}
