/// The statements that make and fill the tables of a projection.
enum ProjectionSQL {
    /// A name in quotes.
    static func quoted(_ name: String) -> String {
        "\"" + name.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
    }

    /// A text in quotes, for the statements that take no parameters.
    static func literal(_ text: String) -> String {
        // Standard strings: a backslash is a character like others.
        "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "''") + "'"
    }

    // MARK: Where a projection is

    static let state = """
        create table if not exists realmgate.projection (
          schema_name text collate "C" primary key,
          realm bigint not null,
          version bigint,
          tag bigint,
          layout text,
          made timestamptz
        )
        """
    static let register =
        "insert into realmgate.projection (schema_name, realm) values ($1, $2) on conflict (schema_name) do nothing"
    /// Locks the row, so that one program at a time changes the tables.
    static let lock = """
        select realm, version, tag, layout from realmgate.projection where schema_name = $1 for update
        """
    static let realmVersion = "select version from realmgate.realm where id = $1"
    static let advance = """
        update realmgate.projection set version = $2, tag = $3, layout = $4, made = now() where schema_name = $1
        """
    /// Comments distinguish the tables of a projection from those that somebody else made in its schema.
    static let mark = "Realmgate: "
    static let existing = """
        select c.relname::text, coalesce(obj_description(c.oid, 'pg_class'), ''), coalesce(a.attname::text, ''),
          coalesce(format_type(a.atttypid, a.atttypmod), '')
        from pg_class c join pg_namespace n on n.oid = c.relnamespace
          left join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
        where n.nspname = $1 and c.relkind in ('r', 'v', 'm', 'f', 'p') order by c.relname, a.attnum
        """

    // MARK: Tables

    static func create(_ table: ProjectionLayout.Table, in schema: String) -> [String] {
        let qualified = "\(quoted(schema)).\(quoted(table.name))"
        let columns = table.columns.map { "\(quoted($0.name)) \($0.type.rawValue)" }
        let key = table.key.map(quoted).joined(separator: ", ")
        var statements = [
            "create table \(qualified) (\((columns + ["primary key (\(key))"]).joined(separator: ", ")))",
            "comment on table \(qualified) is \(literal(mark + table.subject))",
        ]
        if let indexed = table.indexed { statements.append("create index on \(qualified) (\(quoted(indexed)))") }
        return statements
    }

    /// Adds and drops the columns that differ; the table keeps its rights and the views on its other columns.
    static func alter(
        _ table: ProjectionLayout.Table, from existing: [ProjectionLayout.Column], in schema: String
    ) -> [String] {
        let qualified = "\(quoted(schema)).\(quoted(table.name))"
        let dropped = existing.filter { !table.columns.contains($0) }.map { "drop column \(quoted($0.name))" }
        let added = table.columns.filter { !existing.contains($0) }
        var statements: [String] = []
        if !dropped.isEmpty { statements.append("alter table \(qualified) \(dropped.joined(separator: ", "))") }
        if !added.isEmpty {
            let columns = added.map { "add column \(quoted($0.name)) \($0.type.rawValue)" }
            statements.append("alter table \(qualified) \(columns.joined(separator: ", "))")
        }
        if let indexed = table.indexed, added.contains(where: { $0.name == indexed }) {
            statements.append("create index on \(qualified) (\(quoted(indexed)))")
        }
        return statements
    }

    static func drop(_ name: String, in schema: String) -> String { "drop table \(quoted(schema)).\(quoted(name))" }

    static func grant(to role: String, in schema: String) -> [String] {
        [
            "grant usage on schema \(quoted(schema)), realmgate to \(quoted(role))",
            "grant select on all tables in schema \(quoted(schema)) to \(quoted(role))",
            "grant select on realmgate.projection to \(quoted(role))",
        ]
    }

    // MARK: Rows

    static func clear(_ table: ProjectionLayout.Table, in schema: String) -> String {
        "delete from \(quoted(schema)).\(quoted(table.name))"
    }

    /// The rows of some objects; one parameter, their keys.
    static func delete(_ table: ProjectionLayout.Table, in schema: String) -> String {
        "\(clear(table, in: schema)) where \(quoted(table.key[0])) = any($1::bigint[])"
    }

    /// The elements of some objects, of each from an index on; parameters: their keys, the indexes.
    static func deleteElements(_ table: ProjectionLayout.Table, in schema: String) -> String {
        """
        \(clear(table, in: schema)) using unnest($1::bigint[], $2::bigint[]) as changed (key, first) \
        where \(quoted(ProjectionLayout.owner)) = changed.key and \(quoted(ProjectionLayout.position)) >= changed.first
        """
    }

    /// Inserts rows, or replaces those with the same key; one parameter, a JSON array of rows.
    static func insert(_ table: ProjectionLayout.Table, in schema: String) -> String {
        let names = table.columns.map { quoted($0.name) }.joined(separator: ", ")
        let record = table.columns.map { "\(quoted($0.name)) \($0.type.rawValue)" }.joined(separator: ", ")
        let others = table.columns.filter { !table.key.contains($0.name) }
        let changes = others.map { "\(quoted($0.name)) = excluded.\(quoted($0.name))" }.joined(separator: ", ")
        return """
            insert into \(quoted(schema)).\(quoted(table.name)) (\(names))
            select \(names) from json_to_recordset($1::json) as r (\(record))
            on conflict (\(table.key.map(quoted).joined(separator: ", "))) \
            do \(others.isEmpty ? "nothing" : "update set \(changes)")
            """
    }
}
