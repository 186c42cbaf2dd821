import Basics
import ObjectModel
import RealmFiles
import StoreContract

/// One run of an import, within its transaction or as a rehearsal.
///
/// Objects are created in the order of their keys, class by class, and a class after those that it links to where that
/// is possible. A link to an object that is not there yet, in a cycle of classes or of objects, leaves the property at
/// zero, null or empty; a second reading of such tables assigns those properties. The
/// values of an embedded object count as values of the property that owns it.
struct ObjectCopy {
    private let target: any CopyTarget
    private let file: RealmFile
    private let progress: (RealmImporter.Progress) throws -> Void
    /// The tables of objects without owners, in the order in which they are created.
    private let tables: [TableCopy]
    private var conversion: ImportedValues
    private let style: RealmOptionStyle
    private let policy: UpdatePolicy
    private var reached = RealmImporter.Progress()
    private var sinceReport = 0

    init(
        _ file: RealmFile, _ classes: RealmClasses, _ target: any CopyTarget,
        _ policy: UpdatePolicy, _ progress: @escaping (RealmImporter.Progress) throws -> Void
    ) {
        self.file = file
        self.target = target
        self.progress = progress
        self.policy = policy
        style = classes.style
        let layout = CopyLayout(classes, target.schema)
        tables = layout.creationOrder()
        conversion = ImportedValues(file, layout, order: tables.map(\.table.key))
    }

    mutating func run() throws -> RealmImportReport {
        reached.total = try tables.reduce(0) { $0 + (try file.objectCount(of: $1.table)) }
        var waiting: [(TableCopy, Set<Int>)] = []
        for table in tables {
            let columns = try create(table)
            if !columns.isEmpty { waiting.append((table, columns)) }
        }
        for (table, _) in waiting { reached.total += try file.objectCount(of: table.table) }
        if let (count, first) = file.invalidTexts {
            let most = count == 1000 ? "1,000 or more texts" : count == 1 ? "1 text" : "\(count) texts"
            conversion.record(
                "\(most) of the file \(count == 1 ? "is" : "are") not UTF-8, first in \(first): bytes that are not became U+FFFD."
            )
        }
        conversion.beginConnecting()
        for (table, columns) in waiting { try connect(table, columns) }
        try progress(reached)
        return conversion.report
    }

    /// Creates the objects of a table. Returns the columns that have links to objects that are not there yet.
    private mutating func create(_ table: TableCopy) throws -> Set<Int> {
        var waiting: Set<Int> = []
        // The store would find duplicates only at the end, when the object of the file is no longer known.
        var primaryKeys: Set<Value> = []
        let keyProperty = target.count(of: table.classID) > 0 ? table.primaryKey : nil
        reached.className = table.name
        try file.forEachObject(of: table.table, columns: table.sources) { object in
            var row = table.initialRow
            var given: [(id: PropertyID, position: Int)] = []
            for column in table.columns {
                let value = try conversion.value(object, column, of: table)
                if conversion.isWaiting {
                    waiting.insert(column.source)
                } else {
                    row[column.position] = value
                    if keyProperty != nil { given.append((column.id, column.position)) }
                }
            }
            if let index = table.primaryKey, !primaryKeys.insert(row[index]).inserted {
                let difference = file.invalidTexts == nil ? "" : " They may differ in bytes that are not UTF-8."
                let sentence =
                    "The file has two objects of '\(table.oldName)' with \(try name(object, table)).\(difference)"
                throw RealmImportError(
                    .repeatedKey,
                    "\(sentence) Delete one of them in the app, or leave the class out: \(style.leaveOut(table.oldName)). Nothing was written.",
                    offering: .leavingOut(table.oldName, sentence))
            }
            if let keyProperty,
                let present = try target.key(of: table.classID, primaryKey: row[keyProperty])
            {
                if policy != .error {
                    let values = Dictionary(uniqueKeysWithValues: given.map { ($0.id, row[$0.position]) })
                    let isChanged = try naming(object, table) {
                        try target.set(table.classID, present, values, onlyDifferent: policy == .modified)
                    }
                    conversion.record(object.key, became: present, in: table, isNew: false, isChanged: isChanged)
                    try count()
                    return
                }
                throw RealmImportError(
                    .duplicate,
                    "The database has \(table.name.withArticle) with \(try name(object, table)) already. Nothing was written. Update such objects with \(style.update), import the class under another name with \(style.rename(table.oldName, to: "NAME")), or import into another database."
                )
            }
            let key = try naming(object, table) { try target.create(table.classID, row: row) }
            conversion.record(object.key, became: key, in: table)
            try count()
        }
        return waiting
    }

    /// Assigns the columns whose links led to objects that did not exist yet.
    private mutating func connect(_ table: TableCopy, _ sources: Set<Int>) throws {
        let columns = table.columns.filter { sources.contains($0.source) }
        reached.className = table.name
        // The primary key is included, because it names the object in errors.
        var read = sources
        if let index = table.table.primaryKey, table.sources.contains(index) { read.insert(index) }
        try file.forEachObject(of: table.table, columns: read) { object in
            var values: [PropertyID: Value] = [:]
            for column in columns {
                let value = try conversion.value(object, column, of: table)
                if conversion.isWaiting { values[column.id] = value }
            }
            if !values.isEmpty, let key = conversion.key(of: object.key, in: table) {
                try naming(object, table) {
                    _ = try target.set(table.classID, key, values, onlyDifferent: policy == .modified)
                }
            }
            try count()
        }
    }

    private mutating func count() throws {
        reached.done += 1
        sinceReport += 1
        guard sinceReport == RealmImporter.reportInterval else { return }
        sinceReport = 0
        try progress(reached)
    }

    // MARK: Words

    /// Adds the name of the object to a store's error about a value, and what to do with it.
    private func naming<R>(_ object: RealmObject, _ table: TableCopy, _ work: () throws -> R) throws -> R {
        do {
            return try work()
        } catch let error as StoreError where Self.isAboutValues(error) {
            let property = "\(table.oldName).\(table.sourceName(of: error.property ?? "PROPERTY"))"
            let sentence = "\(table.name) with \(try name(object, table)): \(error.message)"
            throw RealmImportError(
                .value,
                "\(sentence) Leave the property out, or change the value in the app: \(style.leaveOut(property)). Nothing was written.",
                offering: .leavingOut(property, sentence))
        }
    }

    private static func isAboutValues(_ error: StoreError) -> Bool {
        [.invalidValue, .missingValue, .valueTooLarge, .invalidMapKey, .tooDeep].contains(error.code)
    }

    private func name(_ object: RealmObject, _ table: TableCopy) throws -> String {
        guard let index = table.table.primaryKey, table.sources.contains(index),
            let text = object.values[index].shortText
        else {
            return "object key \(object.key)"
        }
        return "primary key \(text)"
    }
}

extension RealmValue {
    /// For an error that names an object by its primary key.
    fileprivate var shortText: String? {
        switch self {
        case .null: "null"
        case .int(let number): "\(number)"
        case .string(let text): "'\(text.shortened())'"
        case .objectID(let id): id.hex
        case .uuid(let id): id.text
        default: nil
        }
    }
}
