package import ObjectModel
package import RealmFiles

/// The classes of a Realm file as classes of a store, and the property that each column becomes.
package struct RealmClasses: Sendable {
    /// The classes in the order of the file, with the schema version of the file.
    package let schema: Schema
    /// What the import changes or leaves out, as sentences.
    package let notes: [String]
    /// The tables that become classes.
    let tables: [ClassTable]
    let style: RealmOptionStyle

    /// A table that becomes a class.
    struct ClassTable: Sendable {
        let table: RealmTable
        let name: String
        /// The columns that become properties.
        let columns: [PropertyColumn]

        var isEmbedded: Bool { table.kind == .embedded }
    }

    /// A column that becomes a property.
    struct PropertyColumn: Sendable {
        /// The column's index in the table.
        let index: Int
        /// The name in the file: `Class.property`.
        let path: String
        let name: String
        let type: RealmColumnType
        let collection: RealmColumn.Collection
        /// The table that links lead to.
        let target: UInt32?
    }

    /// Throws `RealmImportError` with everything that a store cannot contain, and `RealmFileError`.
    package init(_ file: RealmFile, _ selection: RealmSelection = RealmSelection()) throws {
        try self.init(file.tables, version: file.schemaVersion ?? 0, selection) { try file.objectCount(of: $0) }
    }

    /// - Parameter count: the number of objects of a table.
    init(
        _ all: [RealmTable], version: UInt64, _ selection: RealmSelection, count: (RealmTable) throws -> Int
    ) throws {
        let resolved = try ResolvedSelection(selection, all)
        let style = selection.style
        var notes: [String] = []
        var faults: [RealmObstacle] = []
        let tables = try Self.taken(all, resolved, count, style, &notes)
        guard !tables.isEmpty else {
            throw RealmImportError(.noClasses, (["The file has no classes to import."] + notes).joined(separator: " "))
        }
        let names = Dictionary(uniqueKeysWithValues: tables.map { ($0.table.key, $0) })
        var classTables: [ClassTable] = []
        var classes: [ClassSchema] = []
        for (table, _) in tables { notes += Self.notes(onNamesOf: table) }
        for (table, name) in tables {
            let (columns, properties) = Self.properties(of: table, resolved, names, &notes, &faults)
            let key = columns.firstIndex { $0.index == table.primaryKey }
            if properties.isEmpty {
                faults.append(.leavingOut(Self.name(table), "Class '\(name)' has no properties."))
            }
            if table.primaryKey != nil, key == nil {
                notes.append("Class '\(name)' has no primary key: the property is left out.")
            }
            if table.kind == .asymmetric {
                notes.append(
                    "Class '\(name)' is asymmetric: Device Sync sent its objects and forgot them. It becomes an ordinary class."
                )
            }
            classTables.append(ClassTable(table: table, name: name, columns: columns))
            classes.append(
                ClassSchema(
                    name, primaryKey: key.map { properties[$0].name }, isEmbedded: table.kind == .embedded,
                    properties: properties))
        }
        faults += Self.nameFaults(classTables) + Self.embeddingFaults(classTables)
        schema = Schema(version: version, classes: classes)
        // The rules of schemas find what has no better message.
        if faults.isEmpty { faults = schema.faults().map { RealmObstacle($0) } }
        guard faults.isEmpty else {
            throw RealmImportError(
                .unsuitable, "The file has what a database here cannot have. Nothing was written.", faults, style)
        }
        self.style = style
        self.tables = classTables
        self.notes = notes
    }

    /// The number of objects of each class, in the order of the file.
    package func counts(
        in file: RealmFile
    ) throws(RealmFileError) -> [(name: String, isEmbedded: Bool, objects: Int)] {
        var counts: [(name: String, isEmbedded: Bool, objects: Int)] = []
        for table in tables { counts.append((table.name, table.isEmbedded, try file.objectCount(of: table.table))) }
        return counts
    }

    private static func objects(_ count: Int) -> String { "\(count) \(count == 1 ? "object" : "objects")" }

    /// The name that a user writes.
    private static func name(_ table: RealmTable) -> String { table.className ?? table.name }

    /// Reports the names that got a number, because the file has two names that differ only in invalid bytes.
    private static func notes(onNamesOf table: RealmTable) -> [String] {
        func note(_ kind: String, _ name: String, _ stored: String) -> String {
            "\(kind) '\(name)' is called '\(stored)' in the file, as another one is: the names differ in bytes that are not UTF-8, or in how characters are composed."
        }
        let owner = name(table)
        var notes: [String] = []
        if table.name != table.storedName {
            let number = table.name.dropFirst(table.storedName.count)
            notes.append(note("Class", owner, String(owner.dropLast(number.count))))
        }
        for column in table.columns where column.name != column.storedName {
            notes.append(note("Property", "\(owner).\(column.name)", "\(owner).\(column.storedName)"))
        }
        return notes
    }

    // MARK: Which tables

    /// The keys of the tables that become classes, whether or not a store can contain them.
    static func takenKeys(
        _ file: RealmFile, _ resolved: ResolvedSelection, _ style: RealmOptionStyle
    ) throws -> Set<UInt32> {
        var notes: [String] = []
        return Set(
            try taken(file.tables, resolved, { try file.objectCount(of: $0) }, style, &notes).map(\.table.key))
    }

    /// The tables that become classes, with their names.
    private static func taken(
        _ all: [RealmTable], _ resolved: ResolvedSelection, _ count: (RealmTable) throws -> Int,
        _ style: RealmOptionStyle, _ notes: inout [String]
    ) throws -> [(table: RealmTable, name: String)] {
        var tables: [(table: RealmTable, name: String)] = []
        var others: [String] = []
        for table in all {
            if resolved.leftOutTables.contains(table.key) {
                notes.append("Class '\(name(table))' is left out, with \(objects(try count(table))).")
                continue
            }
            let renamed = resolved.classNames[table.key]
            guard let name = renamed ?? table.className else {
                // The schema version is in it.
                if table.name != "metadata" { others.append(table.name) }
                continue
            }
            if table.columns.isEmpty, try count(table) == 0 {
                notes.append("Class '\(name)' has neither properties nor objects and is left out.")
                continue
            }
            tables.append((table, name))
        }
        if let first = others.first {
            let list = others.map { "'\($0)'" }.joined(separator: ", ")
            notes.append(
                "\(others.count == 1 ? "Table" : "Tables") \(list) \(others.count == 1 ? "is not a class" : "are not classes") of an app (the name does not begin with 'class_') and \(others.count == 1 ? "is" : "are") left out. To take one as a class, give it a name: \(style.rename(first, to: "Name"))."
            )
        }
        return try withoutUnreached(tables, resolved, count, &notes)
    }

    /// The classes without the embedded ones to which no other class links: those cannot have objects.
    private static func withoutUnreached(
        _ tables: [(table: RealmTable, name: String)], _ resolved: ResolvedSelection,
        _ count: (RealmTable) throws -> Int, _ notes: inout [String]
    ) throws -> [(table: RealmTable, name: String)] {
        let byKey = Dictionary(uniqueKeysWithValues: tables.map { ($0.table.key, $0.table) })
        var reached = Set(tables.filter { $0.table.kind != .embedded }.map(\.table.key))
        var open = Array(reached)
        while let key = open.popLast() {
            guard let table = byKey[key] else { continue }
            for (index, column) in table.columns.enumerated()
            where !resolved.leftOutProperties.contains(.init(table: key, column: index)) {
                guard let target = column.target, byKey[target]?.kind == .embedded else { continue }
                if reached.insert(target).inserted { open.append(target) }
            }
        }
        for (table, name) in tables where !reached.contains(table.key) {
            let number = try count(table)
            notes.append(
                "Embedded class '\(name)' is left out\(number == 0 ? "" : ", with \(objects(number))"): no property that is imported leads to it."
            )
        }
        return tables.filter { reached.contains($0.table.key) }
    }

    // MARK: Properties

    private static func properties(
        of table: RealmTable, _ resolved: ResolvedSelection,
        _ taken: [UInt32: (table: RealmTable, name: String)], _ notes: inout [String], _ faults: inout [RealmObstacle]
    ) -> ([PropertyColumn], [PropertySchema]) {
        var columns: [PropertyColumn] = []
        var properties: [PropertySchema] = []
        for (index, column) in table.columns.enumerated() {
            let here = ResolvedSelection.Column(table: table.key, column: index)
            let path = "\(name(table)).\(column.name)"
            if resolved.leftOutProperties.contains(here) {
                notes.append("Property '\(path)' is left out.")
                continue
            }
            let base: BaseType
            if let scalar = column.type.scalar {
                base = scalar
            } else if let target = column.target.flatMap({ taken[$0] }) {
                base = .link(target.name)
                if target.table.kind == .embedded, column.collection == .set {
                    faults.append(
                        .leavingOut(
                            path,
                            "Property '\(path)' is a set of objects of the embedded class '\(target.name)', which only lists can hold."
                        ))
                }
            } else {
                faults.append(
                    .leavingOut(
                        path, "Property '\(path)' links to a class that is not imported.", "Leave it out, too"))
                continue
            }
            let name = resolved.propertyNames[here] ?? column.name
            let isKey = table.primaryKey == index
            var property = PropertySchema(name, column.type(of: base))
            if isKey, !property.type.canBePrimaryKey {
                faults.append(
                    .leavingOut(path, "Property '\(path)' of type '\(property.type)' cannot be a primary key."))
            }
            // A primary key has an index of its own.
            if !isKey, column.isFullText, property.type.canBeFullTextIndexed {
                property.isFullTextIndexed = true
            } else if !isKey, column.isIndexed, property.type.canBeIndexed {
                property.isIndexed = true
            } else if !isKey, column.isIndexed || column.isFullText {
                notes.append("Property '\(path)' of type '\(property.type)' has no index: its type cannot have one.")
            }
            if column.collection == .map(keysAreIntegers: true) {
                notes.append("Property '\(path)' has integers as keys: the keys become their decimal text.")
            }
            columns.append(
                PropertyColumn(
                    index: index, path: path, name: name, type: column.type, collection: column.collection,
                    target: column.target))
            properties.append(property)
        }
        return (columns, properties)
    }

    // MARK: Names

    private static func nameFaults(_ tables: [ClassTable]) -> [RealmObstacle] {
        var faults: [RealmObstacle] = []
        var classNames: Set<String> = []
        for table in tables {
            let old = name(table.table)
            if let reason = fault(ofClassName: table.name) {
                faults.append(.renaming(old, "Class '\(table.name)': \(reason)"))
            } else if !classNames.insert(table.name).inserted {
                faults.append(
                    .renaming(old, "Two classes are called '\(table.name)'.", "Give one of them another name"))
            }
            var names: Set<String> = []
            for column in table.columns {
                if let reason = fault(ofPropertyName: column.name) {
                    faults.append(.renaming(column.path, "Property '\(column.path)': \(reason)"))
                } else if !names.insert(column.name).inserted {
                    faults.append(
                        .renaming(column.path, "Class '\(table.name)' has two properties '\(column.name)'."))
                }
            }
        }
        return faults
    }

    private static func fault(ofClassName name: String) -> String? {
        if !PropertyType.isClassName(name) {
            return
                "a name has letters, digits, underscores and single spaces between words, and does not begin with a digit."
        }
        if BaseType.names.contains(name) { return "this is the name of a type." }
        if name.utf8.count > ClassSchema.nameLimit { return "the name has more than \(ClassSchema.nameLimit) bytes." }
        return nil
    }

    private static func fault(ofPropertyName name: String) -> String? {
        if name.isEmpty { return "it has no name." }
        if name.hasPrefix("$") { return "names that begin with '$' are reserved." }
        if name.utf8.count > PropertySchema.nameLimit {
            return "the name has more than \(PropertySchema.nameLimit) bytes."
        }
        return nil
    }

    // MARK: Embedded classes

    /// Each property that closes a cycle of embedded classes.
    private static func embeddingFaults(_ tables: [ClassTable]) -> [RealmObstacle] {
        let embedded = Dictionary(
            uniqueKeysWithValues: tables.filter(\.isEmbedded).map { ($0.table.key, $0) })
        var faults: [RealmObstacle] = []
        var finished: Set<UInt32> = []
        for root in tables where root.isEmbedded {
            // The classes from the root to here, each with the index of its next property.
            var trail: [(table: ClassTable, next: Int)] = finished.contains(root.table.key) ? [] : [(root, 0)]
            while let (table, next) = trail.last {
                guard next < table.columns.count else {
                    finished.insert(table.table.key)
                    trail.removeLast()
                    continue
                }
                trail[trail.count - 1].next += 1
                let column = table.columns[next]
                guard let target = column.target.flatMap({ embedded[$0] }), !finished.contains(target.table.key) else {
                    continue
                }
                if trail.contains(where: { $0.table.table.key == target.table.key }) {
                    faults.append(
                        .leavingOut(
                            column.path,
                            "Property '\(column.path)' leads back to the embedded class '\(target.name)', and embedded classes cannot form a cycle."
                        ))
                } else {
                    trail.append((target, 0))
                }
            }
        }
        return faults
    }
}

extension RealmColumnType {
    /// The type of values that are not links to objects of one class.
    fileprivate var scalar: BaseType? {
        switch self {
        case .int: .int
        case .bool: .bool
        case .string: .string
        case .binary: .data
        case .mixed: .mixed
        case .timestamp: .date
        case .float: .float
        case .double: .double
        case .decimal: .decimal128
        case .objectID: .objectId
        case .uuid: .uuid
        case .link: nil
        }
    }
}

extension RealmColumn {
    fileprivate func type(of base: BaseType) -> PropertyType {
        let kind: CollectionKind =
            switch collection {
            case .none: .single
            case .list: .list
            case .set: .set
            case .map: .map
            }
        let isOptional =
            switch base {
            case .mixed: false
            // Realm's rule, which its files follow: single links, and links in maps, may be null.
            case .link: kind == .single || kind == .map
            default: self.isOptional
            }
        return PropertyType(base, isOptional: isOptional, collection: kind)
    }
}
