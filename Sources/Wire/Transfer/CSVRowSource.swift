import JSONCoding
package import ObjectCoding
package import ObjectModel

/// The rows of a CSV file whose first record names the properties, by names of columns (``ColumnName``).
package struct CSVRowSource: RowSource {
    private let source: ByteSource
    private var reader: CSVReader
    package let parser: CSVRowParser

    /// Reads the header. Throws `TransferError` if it does not fit the class.
    ///
    /// - Parameter escapesFormulas: whether the file was written with escaped formulas; see `CSVFormulas`.
    package init(
        _ source: ByteSource, class objectClass: ClassSchema, schema: Schema, escapesFormulas: Bool = false
    ) throws {
        self.source = source
        var reader = CSVReader(source)
        var names: [PropertyID: String] = [:]
        let columns = try reader.header(escapesFormulas: escapesFormulas) { name in
            let property = try objectClass.property(ofColumn: name) ?? objectClass.importable(name)
            if let other = names.updateValue(name, forKey: property.id) {
                throw RecordError("Columns '\(other)' and '\(name)' are both the property '\(property.name)'.")
            }
            return CSVRowParser.Column(property: property, content: try CSVContent(property, in: schema))
        }
        self.reader = reader
        parser = CSVRowParser(
            objectClass: objectClass, inputReader: ObjectInputReader(schema: schema, readsColumns: true),
            columns: columns, escapesFormulas: escapesFormulas)
    }

    package var position: Int { source.filePosition }
    package var size: Int? { source.size }
    package var expanded: Int { source.count }
    package var line: Int { reader.line }

    package mutating func nextRecord() throws -> CSVRecord? {
        do {
            return try reader.next().map { CSVRecord(line: reader.line, content: .success($0)) }
        } catch let fault as RecordError {
            return CSVRecord(line: reader.line, content: .failure(fault))
        }
    }
}

/// A record of a CSV file, or why it cannot be read.
package struct CSVRecord: ImportRecord {
    /// The line on which it begins, from 1.
    let line: Int
    let content: Result<[CSVField], RecordError>

    package var memory: (any LineShare)? { nil }
}

/// Makes rows of records.
package struct CSVRowParser: RowParser {
    fileprivate let objectClass: ClassSchema
    fileprivate let inputReader: ObjectInputReader
    /// Nil for columns without a name.
    fileprivate let columns: [Column?]
    fileprivate let escapesFormulas: Bool

    fileprivate struct Column {
        let property: PropertySchema
        let content: CSVContent
    }

    package func row(_ record: CSVRecord) -> Result<ImportedRow, LineError> {
        do {
            return .success(ImportedRow(line: record.line, input: try input(record.content.get())))
        } catch {
            return .failure(LineError(error, line: record.line))
        }
    }

    private func input(_ record: [CSVField]) throws(RecordError) -> ObjectInput {
        if let fault = RecordError(record, columns: columns.count) { throw fault }
        var input = ObjectInput(objectClass.id)
        for (index, (field, column)) in zip(record, columns).enumerated() {
            guard let column else {
                if let fault = RecordError(field, withoutName: index) { throw fault }
                continue
            }
            try read(field, column, into: &input)
        }
        return input
    }

    private func text(_ field: CSVField, _ type: PropertyType) -> String {
        escapesFormulas && type.hasFreeText ? CSVFormulas.plain(field.text) : field.text
    }

    private func read(_ field: CSVField, _ column: Column, into input: inout ObjectInput) throws(RecordError) {
        let property = column.property
        guard !field.isMissing else {
            // A property without a value is null or, if it cannot be, keeps its default.
            if property.type.collection == .single, property.type.acceptsNull { input.values[property.id] = .null }
            return
        }
        let json: JSONValue
        do throws(RecordError) {
            switch column.content {
            case .scalar:
                input.values[property.id] = try FieldText.parse(text(field, property.type), as: property.type)
                return
            case .link(let keyType):
                json = FieldText.json(ofKey: try FieldText.parse(text(field, keyType), as: keyType))
            case .json: json = try Self.json(field.text)
            }
        } catch {
            throw RecordError("\(property.name): \(error.message)")
        }
        do {
            try inputReader.read(json, property, of: objectClass, into: &input)
        } catch {
            throw RecordError(error)
        }
    }

    private static func json(_ text: String) throws(RecordError) -> JSONValue {
        do {
            return try JSONValue.parse(text)
        } catch {
            throw RecordError(error.message)
        }
    }
}

/// The contents of the fields of a column.
enum CSVContent: Equatable {
    /// The text of one value.
    case scalar
    /// The text of the key of a link's target.
    case link(keyType: PropertyType)
    /// JSON: collections, mixed values and embedded objects.
    case json

    /// Throws `RecordError` if the property cannot be imported.
    init(_ property: PropertySchema, in schema: Schema) throws {
        guard !property.type.isComputed else {
            throw RecordError("'\(property.name)' is computed from links of other objects; omit it.")
        }
        guard !property.type.isCollection, !property.type.isMixed, !property.ownsTarget else {
            self = .json
            return
        }
        guard property.type.isLink else {
            self = .scalar
            return
        }
        guard let target = property.targetClass.flatMap({ schema[$0] }) else {
            throw RecordError("'\(property.name)' links to a class that the schema does not have.")
        }
        guard let key = target.primaryKeyProperty else {
            throw RecordError(
                "'\(property.name)' links to '\(target.name)', which has no primary key to name its objects by.")
        }
        self = .link(keyType: key.type)
    }
}
