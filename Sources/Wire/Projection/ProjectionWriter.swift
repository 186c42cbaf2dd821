import Basics
import ObjectModel
import PostgresLog
import QueryLanguage
import StoreContract

/// Writes the rows of one version into the tables of a layout.
final class ProjectionWriter {
    private let sql: SQLTransaction
    private let snapshot: any Snapshot
    private let layout: ProjectionLayout
    private let schema: String
    /// Rows written so far.
    private(set) var count = 0

    /// Keys in one statement.
    private static let batch = 10_000

    init(_ sql: SQLTransaction, _ snapshot: any Snapshot, _ layout: ProjectionLayout, schema: String) {
        self.sql = sql
        self.snapshot = snapshot
        self.layout = layout
        self.schema = schema
    }

    /// Replaces all rows. Readers see the earlier ones until the transaction is committed.
    func writeAll() throws {
        for table in layout.tables {
            try sql.run(ProjectionSQL.clear(table, in: schema))
            try insert(try snapshot.select(BoundQuery(classID: table.classID), .all), into: table)
        }
    }

    /// Writes what has changed.
    func write(_ changes: ChangeSet) throws {
        for table in layout.tables {
            guard let changed = changes.classes[table.classID] else { continue }
            try delete(changed.deletions, from: table)
            var written = Array(changed.insertions)
            switch table.content {
            case .objects(let fields):
                written +=
                    changed.modifications.filter { entry in
                        fields.contains { entry.value.contains($0.id) }
                    }.keys
            case .elements(let field):
                try replace(field, changed, in: table)
            }
            // In the order of the keys, so that the transactions of two programs never wait for each other in a circle.
            try insert(written.sorted { $0.rawValue < $1.rawValue }, into: table)
        }
    }

    private func delete(_ keys: some Collection<ObjectKey>, from table: ProjectionLayout.Table) throws {
        let numbers = keys.map(\.rawValue).sorted()
        for start in stride(from: 0, to: numbers.count, by: Self.batch) {
            let part = numbers[start..<min(start + Self.batch, numbers.count)].map { Int64(clamping: $0) }
            try sql.run(ProjectionSQL.delete(table, in: schema), .int64s(part))
        }
    }

    private func insert(_ keys: [ObjectKey], into table: ProjectionLayout.Table) throws {
        var rows = RowText(table, snapshot.schema)
        for key in keys {
            switch table.content {
            case .objects(let fields):
                rows.begin(key)
                for field in fields { rows.value(try snapshot.value(table.classID, key, field.id), field) }
                rows.end()
                if rows.isFull { try send(&rows, to: table) }
            case .elements(let field): try elements(field, of: key, from: 0, in: table, &rows)
            }
        }
        try send(&rows, to: table)
    }

    /// Writes the elements of changed collections, of a list those from the first changed one on.
    private func replace(
        _ field: ProjectionLayout.Field, _ changes: ClassChanges, in table: ProjectionLayout.Table
    ) throws {
        let changed = changes.modifications.compactMap { key, properties -> (key: ObjectKey, first: Int)? in
            guard properties.contains(field.id) else { return nil }
            guard case .list(let edit)? = changes.edits[key]?[field.id] else { return (key, 0) }
            return (key, edit.firstIndex ?? 0)
        }.sorted { $0.key.rawValue < $1.key.rawValue }
        for start in stride(from: 0, to: changed.count, by: Self.batch) {
            let part = changed[start..<min(start + Self.batch, changed.count)]
            try sql.run(
                ProjectionSQL.deleteElements(table, in: schema),
                .int64s(part.map { Int64(clamping: $0.key.rawValue) }), .int64s(part.map { Int64($0.first) }))
        }
        var rows = RowText(table, snapshot.schema)
        for (key, first) in changed { try elements(field, of: key, from: first, in: table, &rows) }
        try send(&rows, to: table)
    }

    private func elements(
        _ field: ProjectionLayout.Field, of key: ObjectKey, from first: Int, in table: ProjectionLayout.Table,
        _ rows: inout RowText
    ) throws {
        // A map is one value; lists and sets are read in parts.
        if table.columns.count > 2, table.columns[2].name == ProjectionLayout.key {
            guard case .dictionary(let map) = try snapshot.value(table.classID, key, field.id) else { return }
            for (index, entry) in map.entries.enumerated() {
                rows.begin(key)
                rows.position(index)
                rows.text(entry.key)
                rows.value(entry.value, field)
                rows.end()
                if rows.isFull { try send(&rows, to: table) }
            }
            return
        }
        let count = try snapshot.elementCount(table.classID, key, field.id)
        for start in stride(from: first, to: count, by: Self.batch) {
            let part = start..<min(start + Self.batch, count)
            for (index, value) in zip(part, try snapshot.elements(table.classID, key, field.id, part)) {
                rows.begin(key)
                rows.position(index)
                rows.value(value, field)
                rows.end()
                if rows.isFull { try send(&rows, to: table) }
            }
        }
    }

    private func send(_ rows: inout RowText, to table: ProjectionLayout.Table) throws {
        guard !rows.isEmpty else { return }
        count += rows.rows
        try sql.run(ProjectionSQL.insert(table, in: schema), .json(rows.takeBytes()))
    }
}

extension ListEdit {
    /// The lowest index at which the lists before and after differ; nil for an empty edit.
    fileprivate var firstIndex: Int? {
        let edges = [deletions.runs.first, insertions.runs.first, modifications.runs.first].compactMap {
            $0?.lowerBound
        }
        return edges.min()
    }
}
