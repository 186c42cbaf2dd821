import ObjectModel

/// Rows of a CSV file whose first record names the properties.
struct CSVRowSource: RowSource {
    private var reader: CSVReader
    private let columns: [(property: PropertySchema, target: ImportTarget)]

    /// Reads the header. Throws `CommandFailure` when it does not fit the class.
    init(_ source: ByteSource, class objectClass: ClassSchema, schema: Schema) throws {
        reader = CSVReader(source)
        do {
            guard let header = try reader.next() else {
                throw CommandFailure("The file is empty; its first line must name the properties.")
            }
            var seen: Set<String> = []
            columns = try header.map { field in
                guard seen.insert(field.text).inserted else {
                    throw RecordFault("Column '\(field.text)' appears twice.")
                }
                let property = try objectClass.importable(field.text)
                return (property, try ImportTarget(property, in: schema))
            }
        } catch let fault as RecordFault {
            throw CommandFailure("The first line must name the properties. \(fault.message)")
        }
    }

    mutating func next() throws -> Result<ImportedRow, LineFault>? {
        do {
            guard let record = try reader.next() else { return nil }
            return .success(try row(record))
        } catch let fault as RecordFault {
            return .failure(LineFault(line: reader.line, message: fault.message))
        }
    }

    private func row(_ record: [CSVField]) throws -> ImportedRow {
        guard record.count == columns.count else {
            throw RecordFault("There are \(record.count) fields where the first line has \(columns.count).")
        }
        var row = ImportedRow(line: reader.line)
        for (field, column) in zip(record, columns) {
            do {
                row.contents[column.property.id] = try content(field, column.target)
            } catch let fault as RecordFault {
                throw RecordFault("\(column.property.name): \(fault.message)")
            }
        }
        return row
    }

    /// Nil when there is no value and the property is left at its default.
    private func content(_ field: CSVField, _ target: ImportTarget) throws -> ImportedRow.Content? {
        switch target {
        case .value(let type):
            if field.isMissing { return type.isOptional ? .value(.null) : nil }
            return .value(try FieldText.parse(field.text, as: type))
        case .link(let keyType):
            if field.isMissing { return .value(.null) }
            return .link(primaryKey: try FieldText.parse(field.text, as: keyType))
        }
    }
}
