import JSONCoding
package import ObjectCoding
package import ObjectModel

/// The rows of a file with one JSON object per line; empty lines are skipped.
package struct NDJSONRowSource: RowSource {
    private let source: ByteSource
    private var lines: NDJSONReader
    package let parser: NDJSONRowParser

    package init(_ source: ByteSource, class objectClass: ClassSchema, schema: Schema) {
        self.source = source
        lines = NDJSONReader(source)
        parser = NDJSONRowParser(
            objectClass: schema[objectClass.id] ?? objectClass,
            reader: ObjectInputReader(schema: schema, readsColumns: true))
    }

    package var position: Int { source.filePosition }
    package var size: Int? { source.size }
    package var expanded: Int { source.count }
    package var line: Int { lines.line }

    package mutating func nextRecord() throws -> NDJSONLine? { try lines.next() }
}

/// Makes rows of lines.
package struct NDJSONRowParser: RowParser {
    fileprivate let objectClass: ClassSchema
    fileprivate let reader: ObjectInputReader

    package func row(_ line: NDJSONLine) -> Result<ImportedRow, LineError> {
        var order = ColumnOrder(objectClass)
        return row(line, &order)
    }

    package func rows(_ lines: ArraySlice<NDJSONLine>) -> [Result<ImportedRow, LineError>] {
        var order = ColumnOrder(objectClass)
        return lines.map { row($0, &order) }
    }

    private func row(_ line: NDJSONLine, _ order: inout ColumnOrder) -> Result<ImportedRow, LineError> {
        do {
            return .success(ImportedRow(line: line.number, input: try input(line, &order), memory: line.memory))
        } catch {
            return .failure(LineError(error, line: line.number))
        }
    }

    private func input(_ line: NDJSONLine, _ order: inout ColumnOrder) throws(RecordError) -> ObjectInput {
        let object = try line.object()
        do {
            return try reader.object(object, objectClass, &order)
        } catch {
            throw RecordError(error)
        }
    }
}
