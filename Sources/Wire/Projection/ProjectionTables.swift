import PostgresLog

/// The tables of a projection as they are, brought to a layout.
struct ProjectionTables {
    private let sql: SQLTransaction
    private let schema: String

    init(_ sql: SQLTransaction, schema: String) {
        self.sql = sql
        self.schema = schema
    }

    /// Makes, alters and drops tables. Those that others made in the schema stay; one of the same name is a fault.
    func migrate(to layout: ProjectionLayout) throws {
        try sql.run("create schema if not exists \(ProjectionSQL.quoted(schema))")
        let existing = try read()
        let wanted = Set(layout.tables.map(\.name))
        for (name, table) in existing.sorted(by: { $0.key < $1.key }) where table.isOurs && !wanted.contains(name) {
            try sql.run(ProjectionSQL.drop(name, in: schema))
        }
        for table in layout.tables {
            guard let old = existing[table.name] else {
                for statement in ProjectionSQL.create(table, in: schema) { try sql.run(statement) }
                continue
            }
            guard old.isOurs else {
                throw ProjectionError(
                    "The schema '\(schema)' has a table '\(table.name)' that is not of the realm. Name another schema with --schema."
                )
            }
            try migrate(old, to: table)
        }
    }

    private func migrate(_ old: Existing, to table: ProjectionLayout.Table) throws {
        let common = old.columns.filter { table.columns.contains($0) }
        // Without its key's columns it is another table: of an object, not of elements.
        guard table.key.allSatisfy({ name in common.contains { $0.name == name } }) else {
            try sql.run(ProjectionSQL.drop(table.name, in: schema))
            for statement in ProjectionSQL.create(table, in: schema) { try sql.run(statement) }
            return
        }
        for statement in ProjectionSQL.alter(table, from: old.columns, in: schema) { try sql.run(statement) }
    }

    private struct Existing {
        var isOurs: Bool
        var columns: [ProjectionLayout.Column] = []
    }

    private func read() throws -> [String: Existing] {
        let rows = try sql.run(ProjectionSQL.existing, .text(schema))
        var tables: [String: Existing] = [:]
        for row in 0..<rows.count {
            let name = try rows.text(row, 0)
            let isOurs = try rows.text(row, 1).hasPrefix(ProjectionSQL.mark)
            var table = tables[name] ?? Existing(isOurs: isOurs)
            // A column of a type that no layout has: it is dropped.
            if let type = SQLType(rawValue: try rows.text(row, 3)) {
                table.columns.append(ProjectionLayout.Column(name: try rows.text(row, 2), type: type))
            }
            tables[name] = table
        }
        return tables
    }
}
