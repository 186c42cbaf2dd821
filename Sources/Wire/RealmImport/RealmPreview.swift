import ObjectModel
package import RealmFiles
package import StoreContract

/// What an import of a Realm file would do to a database.
package struct RealmPreview: Sendable {
    /// A class of the file, or a table that becomes one.
    package struct Class: Sendable {
        /// The name in the file.
        package let source: String
        /// The name in the database.
        package let name: String
        package let isEmbedded: Bool
        package let isLeftOut: Bool
        package let objects: Int
        /// Whether the database has no class of this name.
        package let isNew: Bool
        /// The number of objects that the database has already, by their primary keys.
        package fileprivate(set) var present = 0
    }

    package let format: Int
    package let schemaVersion: UInt64
    /// The classes in the order of the file, including those that are left out.
    package private(set) var classes: [Class]
    /// What the import would change or leave out, as sentences.
    package private(set) var notes: [String] = []
    /// Why the import would be refused; nil if this preview has found no obstacle.
    package private(set) var refusal: RealmImportError?

    /// The number of links in mixed values to objects that are not imported; 0 before `rehearse`.
    package private(set) var lostLinks = 0

    /// Cost: reads the classes of which the database has objects, and counts the objects of the others. `rehearse`
    /// finds obstacles in single values, such as a map key.
    ///
    /// Throws `RealmFileError`, `RealmImportError` for a selection that names nothing, and what `check` throws.
    ///
    /// - Parameter check: called regularly.
    package init(
        _ file: RealmFile, _ selection: RealmSelection, into snapshot: any Snapshot, _ policy: UpdatePolicy = .error,
        check: () throws -> Void = {}
    ) throws {
        format = file.format
        schemaVersion = file.schemaVersion ?? 0
        let resolved = try ResolvedSelection(selection, file.tables)
        var imported: RealmClasses?
        do {
            imported = try RealmClasses(file, selection)
        } catch let fault as RealmImportError {
            refusal = fault
        }
        notes = imported?.notes ?? []
        // Counted also for a file that is refused.
        let taken = try RealmClasses.takenKeys(file, resolved, selection.style)
        classes = []
        var tables: [RealmTable] = []
        for table in file.tables {
            try check()
            guard let name = resolved.classNames[table.key] ?? table.className else { continue }
            classes.append(
                Class(
                    source: table.className ?? table.name, name: name, isEmbedded: table.kind == .embedded,
                    isLeftOut: !taken.contains(table.key), objects: try file.objectCount(of: table),
                    isNew: snapshot.schema[name] == nil))
            tables.append(table)
        }
        guard refusal == nil, let imported else { return }
        do throws(RealmImportError) {
            notes += try MergedSchema(adding: imported, to: snapshot).notes
        } catch {
            refusal = error
            return
        }
        for index in classes.indices where !classes[index].isLeftOut {
            classes[index].present = try Self.present(tables[index], classes[index].name, file, snapshot, check)
            guard classes[index].present > 0, policy == .error, refusal == nil else { continue }
            refusal = .duplicates(
                classes[index].present, of: classes[index].name, classes[index].source, selection.style)
        }
    }

    /// Finds by a rehearsal what the classes alone do not show: values that the database cannot contain, and links that
    /// would be lost. Does nothing for a file that is already refused. Cost and errors are those of
    /// `RealmImporter.rehearse`, but its `RealmImportError` becomes the refusal.
    ///
    /// - Parameter snapshot: the snapshot of the preview.
    package mutating func rehearse(
        _ file: RealmFile, _ selection: RealmSelection, into snapshot: any Snapshot, _ policy: UpdatePolicy = .error,
        progress: @escaping (RealmImporter.Progress) throws -> Void = { _ in }
    ) throws {
        guard refusal == nil else { return }
        do {
            let classes = try RealmClasses(file, selection)
            let report = try RealmImporter.rehearse(file, classes, into: snapshot, policy, progress: progress)
            notes += report.notes.filter { !notes.contains($0) }
            lostLinks = report.lostLinks
        } catch let fault as RealmImportError {
            refusal = fault
        }
    }

    /// The number of objects of a table whose primary keys the database has.
    private static func present(
        _ table: RealmTable, _ name: String, _ file: RealmFile, _ snapshot: any Snapshot, _ check: () throws -> Void
    ) throws -> Int {
        guard let index = table.primaryKey, let known = snapshot.schema[name], known.primaryKey != nil,
            snapshot.count(of: known.id) > 0
        else { return 0 }
        var count = 0
        var read = 0
        try file.forEachObject(of: table, columns: [index]) { object in
            read += 1
            if read % RealmImporter.reportInterval == 0 { try check() }
            guard let key = object.values[index].asPrimaryKey else { return }
            if try snapshot.key(of: known.id, primaryKey: key) != nil { count += 1 }
        }
        return count
    }
}

extension RealmImportError {
    fileprivate static func duplicates(
        _ count: Int, of name: String, _ source: String, _ style: RealmOptionStyle
    ) -> RealmImportError {
        RealmImportError(
            .duplicate,
            "The database has \(count) of the objects of \(name) already, by their primary keys. Update them with \(style.update), import the class under another name with \(style.rename(source, to: "NAME")), or import into another database."
        )
    }
}

extension RealmValue {
    /// The value as a primary key of a store; nil if it cannot be one.
    fileprivate var asPrimaryKey: Value? {
        switch self {
        case .null: .null
        case .int(let number): .int(number)
        case .string(let text): .string(text)
        case .objectID(let id): .objectId(id)
        case .uuid(let id): .uuid(id)
        default: nil
        }
    }
}
