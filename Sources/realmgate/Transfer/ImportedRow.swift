import ObjectModel

/// One object to be imported, before its links are looked up.
struct ImportedRow {
    enum Content: Equatable {
        case value(Value)
        /// A link, by the primary key of its target.
        case link(primaryKey: Value)
    }

    /// Where it stands in the file, from 1.
    var line: Int
    var contents: [PropertyID: Content] = [:]
}

/// Something that rows are read from.
protocol RowSource {
    /// The next row, or what is wrong with it; nil at the end. Throws `CommandFailure` when there is no going on.
    mutating func next() throws -> Result<ImportedRow, LineFault>?
}

/// A line of a file that was not imported, and why.
struct LineFault: Error, Equatable {
    var line: Int
    var message: String
}

/// What a property of the class can take from a file: its value type, or the type of the key of what it links to.
enum ImportTarget: Equatable {
    case value(PropertyType)
    case link(keyType: PropertyType)

    /// Throws `RecordFault` when the property cannot be imported.
    init(_ property: PropertySchema, in schema: Schema) throws {
        guard !property.type.isComputed else {
            throw RecordFault("'\(property.name)' is computed from links of other objects; leave it out.")
        }
        guard property.type.isToOneLink else {
            self = .value(property.type)
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

extension ClassSchema {
    /// The property of that name that a file may fill. Throws `RecordFault`.
    func importable(_ name: String) throws -> PropertySchema {
        guard let property = self[name] else {
            var message = "Class '\(self.name)' has no property '\(name)'."
            if let near = properties.map(\.name).nearest(to: name) { message += " Did you mean '\(near)'?" }
            throw RecordFault(message)
        }
        return property
    }
}
