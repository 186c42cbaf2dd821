import Basics
import ObjectModel
import RealmFiles

/// How an import changes the classes of a Realm file: new names, and what it leaves out.
package struct RealmSelection: Sendable {
    /// `Class=Name`, `Class.property=name`, or `table=Name` for a table that is not a class of the app.
    package var renames: [String]
    /// `Class` or `Class.property`, by the names in the file.
    package var leftOut: [String]
    /// How errors name the two options.
    package var style: RealmOptionStyle

    package init(renames: [String] = [], leftOut: [String] = [], style: RealmOptionStyle = .command) {
        self.renames = renames
        self.leftOut = leftOut
        self.style = style
    }

    /// Throws `invalidSelection` for what is invalid for every file.
    package func check() throws(RealmImportError) {
        if let text = renames.first(where: { !$0.contains("=") }) {
            throw RealmImportError(.invalidSelection, withoutName(text))
        }
    }

    fileprivate func withoutName(_ text: String) -> String {
        "\(style.renameOption)\(text) has no equals sign: give OLD=NEW."
    }
}

/// The selection, compared with the names in a file.
struct ResolvedSelection {
    /// New names of tables, by table key.
    private(set) var classNames: [UInt32: String] = [:]
    private(set) var leftOutTables: Set<UInt32> = []
    /// New names of columns.
    private(set) var propertyNames: [Column: String] = [:]
    private(set) var leftOutProperties: Set<Column> = []

    /// A column of a table.
    struct Column: Hashable {
        let table: UInt32
        let column: Int
    }

    private enum Part {
        case table(UInt32)
        case column(Column)
        /// Several columns: `A.b.c` can be the column `b.c` of the class `A`, and `c` of the class `A.b`.
        case several
    }

    /// Throws `unknownName` or `invalidSelection` with everything that names nothing, is not a rename, or is a second
    /// one.
    init(_ selection: RealmSelection, _ tables: [RealmTable]) throws(RealmImportError) {
        var parts: [String: Part] = [:]
        for table in tables {
            let name = table.className ?? table.name
            for (index, column) in table.columns.enumerated() {
                let path = "\(name).\(column.name)"
                parts[path] = parts[path] == nil ? .column(Column(table: table.key, column: index)) : .several
            }
        }
        // A class whose name looks like the path of a property comes first, and a class before a table of that name.
        for table in tables where table.className == nil { parts[table.name] = .table(table.key) }
        for table in tables { if let name = table.className { parts[name] = .table(table.key) } }
        var faults: [String] = []
        var invalid: [String] = []
        let style = selection.style
        let renameOption = style.renameOption
        for text in selection.renames {
            // A name may have an equals sign in it: the first that leaves a name of the file counts.
            let separators = text.indices.filter { text[$0] == "=" }
            guard let separator = separators.first(where: { parts[String(text[..<$0])] != nil }) else {
                if let old = separators.first.map({ String(text[..<$0]) }) {
                    faults.append(Self.unknown(old, renameOption + text, parts))
                } else {
                    invalid.append(selection.withoutName(text))
                }
                continue
            }
            let name = String(text[text.index(after: separator)...])
            let earlier: String?
            switch parts[String(text[..<separator])] {
            case .table(let key)?: earlier = classNames.updateValue(name, forKey: key)
            case .column(let column)?: earlier = propertyNames.updateValue(name, forKey: column)
            case .several?:
                invalid.append(Self.ambiguous(String(text[..<separator]), renameOption + text))
                continue
            case nil: earlier = nil
            }
            if let earlier {
                invalid.append(
                    "\(renameOption)\(text): '\(text[..<separator])' is renamed to '\(earlier)' already. Give it one name."
                )
            }
        }
        for text in selection.leftOut {
            switch parts[text] {
            case .table(let key)?: leftOutTables.insert(key)
            case .column(let column)?: leftOutProperties.insert(column)
            case .several?: invalid.append(Self.ambiguous(text, style.leaveOut(text)))
            case nil: faults.append(Self.unknown(text, style.leaveOut(text), parts))
            }
        }
        guard faults.isEmpty else {
            throw RealmImportError(.unknownName, (faults + invalid).joined(separator: "\n"))
        }
        guard invalid.isEmpty else { throw RealmImportError(.invalidSelection, invalid.joined(separator: "\n")) }
    }

    private static func ambiguous(_ name: String, _ option: String) -> String {
        "\(option): the file has several properties '\(name)', because names of it have dots. Only their classes can be left out."
    }

    private static func unknown(_ name: String, _ option: String, _ parts: [String: Part]) -> String {
        withHint(
            "\(option): the file has no class and no property '\(name)'. Name a property as Class.property.",
            parts.keys.sorted().nearest(to: name))
    }
}
