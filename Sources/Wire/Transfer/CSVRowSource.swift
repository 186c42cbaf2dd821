import JSONCoding
package import ObjectCoding
package import ObjectModel

/// The rows of a CSV file whose first record names the properties, by names of columns (``ColumnName``).
package struct CSVRowSource: RowSource {
    private let source: ByteSource
    private var reader: CSVReader
    private let objectClass: ClassSchema
    private let inputReader: ObjectInputReader
    /// Nil for columns without a name.
    private let columns: [Column?]
    private let escapesFormulas: Bool

    private struct Column {
        let property: PropertySchema
        let content: CSVContent
    }

    /// Reads the header. Throws `TransferFault` if it does not fit the class.
    ///
    /// - Parameter escapesFormulas: whether the file was written with escaped formulas; see `CSVFormulas`.
    package init(
        _ source: ByteSource, class objectClass: ClassSchema, schema: Schema, escapesFormulas: Bool = false
    ) throws {
        self.escapesFormulas = escapesFormulas
        self.source = source
        self.objectClass = objectClass
        inputReader = ObjectInputReader(schema: schema, readsColumns: true)
        var reader = CSVReader(source)
        var names: [PropertyID: String] = [:]
        columns = try reader.header(escapesFormulas: escapesFormulas) { name in
            let property = try objectClass.property(ofColumn: name) ?? objectClass.importable(name)
            if let other = names.updateValue(name, forKey: property.id) {
                throw RecordFault("Columns '\(other)' and '\(name)' are both the property '\(property.name)'.")
            }
            return Column(property: property, content: try CSVContent(property, in: schema))
        }
        self.reader = reader
    }

    package var position: Int { source.place }
    package var size: Int? { source.size }
    package var expanded: Int { source.count }
    package var line: Int { reader.line }

    package mutating func next() throws -> Result<ImportedRow, LineFault>? {
        do {
            guard let record = try reader.next() else { return nil }
            return .success(try row(record))
        } catch let fault as RecordFault {
            return .failure(LineFault(fault, line: reader.line))
        }
    }

    private func row(_ record: [CSVField]) throws -> ImportedRow {
        if let fault = RecordFault(record, columns: columns.count) { throw fault }
        var input = ObjectInput(objectClass.id)
        for (place, (field, column)) in zip(record, columns).enumerated() {
            guard let column else {
                if let fault = RecordFault(field, withoutName: place) { throw fault }
                continue
            }
            do {
                try read(field, column, into: &input)
            } catch let fault as RecordFault {
                throw RecordFault("\(column.property.name): \(fault.message)")
            } catch let problem as Problem {
                throw RecordFault(problem)
            }
        }
        return ImportedRow(line: reader.line, input: input)
    }

    private func text(_ field: CSVField, _ type: PropertyType) -> String {
        escapesFormulas && type.hasFreeText ? CSVFormulas.plain(field.text) : field.text
    }

    private func read(_ field: CSVField, _ column: Column, into input: inout ObjectInput) throws {
        let property = column.property
        guard !field.isMissing else {
            // A property without a value is null or, if it cannot be, keeps its default.
            if property.type.collection == .single, property.type.acceptsNull { input.values[property.id] = .null }
            return
        }
        switch column.content {
        case .scalar: input.values[property.id] = try FieldText.parse(text(field, property.type), as: property.type)
        case .link(let keyType):
            let key = try FieldText.parse(text(field, keyType), as: keyType)
            try inputReader.read(FieldText.json(ofKey: key), property, of: objectClass, into: &input)
        case .json:
            do {
                try inputReader.read(try JSONValue.parse(field.text), property, of: objectClass, into: &input)
            } catch let error as JSONError {
                throw RecordFault(error.message)
            }
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

    /// Throws `RecordFault` if the property cannot be imported.
    init(_ property: PropertySchema, in schema: Schema) throws {
        guard !property.type.isComputed else {
            throw RecordFault("'\(property.name)' is computed from links of other objects; omit it.")
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
            throw RecordFault("'\(property.name)' links to a class that the schema does not have.")
        }
        guard let key = target.primaryKeyProperty else {
            throw RecordFault(
                "'\(property.name)' links to '\(target.name)', which has no primary key to name its objects by.")
        }
        self = .link(keyType: key.type)
    }
}
