import ObjectModel
import RealmFiles

/// A table of the file and the class of the store that its objects get.
struct TableCopy {
    let table: RealmTable
    let name: String
    let classID: ClassID
    let isEmbedded: Bool
    let columns: [ColumnCopy]
    /// The values of an object for which the file has none, one for each stored property.
    let initialRow: [Value]
    /// The position of the primary key in a row.
    let primaryKey: Int?
    /// The index of the class in the report.
    let reportIndex: Int

    /// The indices of the imported columns. The other columns are not read, so they may be damaged.
    var sources: Set<Int> { Set(columns.map(\.source)) }

    /// The name in the file.
    var oldName: String { table.className ?? table.name }

    /// The file's name of a property, for an option of a command.
    func sourceName(of property: String) -> String {
        columns.first { $0.name == property }.map { table.columns[$0.source].name } ?? property
    }
}

/// A column of the file and the property that its values get.
struct ColumnCopy {
    /// The index among the file's columns.
    let source: Int
    /// `Class.property` in the file.
    let path: String
    let name: String
    let id: PropertyID
    /// The position in a row of the class.
    let position: Int
    let collection: RealmColumn.Collection
    let isMixed: Bool
    /// The index among the report's numbers; nil for other types.
    let numbers: Int?
    /// The table that links lead to.
    let target: UInt32?
}

/// Which class and property each table and column of a file maps to.
struct CopyLayout {
    /// The tables by their keys.
    let tables: [UInt32: TableCopy]
    /// The table keys in the order of the file.
    let order: [UInt32]
    /// The report before any object is read.
    let report: RealmImportReport

    /// `schema` has all classes of the file.
    init(_ classes: RealmClasses, _ schema: Schema) {
        var tables: [UInt32: TableCopy] = [:]
        var report = RealmImportReport()
        for source in classes.tables {
            guard let objectClass = schema[source.name] else { continue }
            let stored = objectClass.storedProperties
            var numbers: [RealmImportReport.Numbers] = []
            var columns: [ColumnCopy] = []
            for column in source.columns {
                guard let position = stored.firstIndex(where: { $0.name == column.name }) else { continue }
                let isNumber = column.type.isNumber
                if isNumber { numbers.append(RealmImportReport.Numbers(column.name)) }
                columns.append(
                    ColumnCopy(
                        source: column.index, path: column.path, name: column.name, id: stored[position].id,
                        position: position, collection: column.collection, isMixed: column.type == .mixed,
                        numbers: isNumber ? numbers.count - 1 : nil, target: column.target))
            }
            report.classes.append(
                RealmImportReport.Class(name: source.name, isEmbedded: source.isEmbedded, numbers: numbers))
            tables[source.table.key] = TableCopy(
                table: source.table, name: source.name, classID: objectClass.id, isEmbedded: source.isEmbedded,
                columns: columns, initialRow: stored.map(\.initialValue),
                primaryKey: stored.firstIndex { $0.name == objectClass.primaryKey },
                reportIndex: report.classes.count - 1)
        }
        self.tables = tables
        order = classes.tables.map(\.table.key)
        self.report = report
    }

    /// The tables that are not embedded, each after those that it links to, unless they link back to it.
    func creationOrder() -> [TableCopy] {
        var result: [TableCopy] = []
        var seen: Set<UInt32> = []
        for root in order {
            // Each table with the links that have not been followed yet.
            var open: [(key: UInt32, targets: [UInt32])] = []
            func enter(_ key: UInt32) {
                guard let table = tables[key], seen.insert(key).inserted else { return }
                open.append((key, table.columns.compactMap(\.target).reversed()))
            }
            enter(root)
            while let last = open.last {
                if let target = last.targets.last {
                    open[open.count - 1].targets.removeLast()
                    enter(target)
                } else {
                    open.removeLast()
                    if let table = tables[last.key], !table.isEmbedded { result.append(table) }
                }
            }
        }
        return result
    }
}

extension RealmColumnType {
    var isNumber: Bool {
        switch self {
        case .int, .float, .double, .decimal: true
        default: false
        }
    }
}
