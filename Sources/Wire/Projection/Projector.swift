package import ObjectModel
package import PostgresLog
import QueryLanguage
package import StoreContract

/// Shows the objects of a realm as tables in PostgreSQL, in a schema of their own, for programs that speak SQL.
///
/// The tables change in one transaction for each step, so that SQL sees whole versions; `realmgate.projection` says
/// which. Several projectors of one schema may run: a row lock lets one at a time work, and the others find it done.
/// Used by one thread at a time.
///
/// Cost of a step: a round trip when nothing has changed; otherwise a row for each inserted or modified object, and for
/// each changed collection its elements from the first changed one on. A step that cannot continue from what the tables
/// have writes all rows again: after a fork, a change of the schema, or when the change log does not reach back.
package final class Projector {
    /// The outcome of a step.
    package enum Outcome: Hashable, Sendable {
        /// The tables have the newest version already, or one that this replica has not reached.
        case current
        case changed(to: Version, rows: Int)
        /// All rows were written, for a reason.
        case rewritten(to: Version, rows: Int, reason: Reason)
    }

    package enum Reason: String, Hashable, Sendable {
        case first = "the tables are new"
        case fork = "the log continues from an earlier version"
        case history = "the changes since then are no longer known"
        case schema = "the schema has changed"
    }

    private let store: any Store
    private let log: PostgresLog
    private let name: String
    private let readers: [String]
    private var isRegistered = false
    /// The version that this projector found in the tables last, or wrote.
    private var known: Mark?

    /// - Parameters:
    ///   - store: a replica of the log.
    ///   - name: the schema of the tables.
    ///   - readers: roles that may read them.
    package init(_ store: any Store, _ log: PostgresLog, schema name: String, readers: [String] = []) throws {
        self.store = store
        self.log = log
        self.name = name
        self.readers = readers
        guard !name.isEmpty, name.utf8.count <= UniqueNames.limit, !name.utf8.contains(0) else {
            throw ProjectionError("The name of a schema has 1 to \(UniqueNames.limit) bytes. Name another one.")
        }
        guard name != "realmgate", name != "information_schema", !name.hasPrefix("pg_") else {
            throw ProjectionError("The schema '\(name)' is not one for the tables of a realm. Name another one.")
        }
    }

    /// Brings the tables to the newest version of the store. Throws `ProjectionError` for what somebody has to change,
    /// and `StoreError`.
    package func step() throws -> Outcome {
        let snapshot = try store.snapshot()
        // Most calls find nothing to do, and cost no statement.
        if known == snapshot.mark { return .current }
        let outcome = try reporting {
            if !isRegistered { try register() }
            return try log.transaction { sql in
                let row = try sql.run(ProjectionSQL.lock, .text(name))
                guard row.count == 1, try row.int64(0, 0) == log.id else {
                    throw ProjectionError(
                        "The schema '\(name)' has the tables of another realm. Name another schema with --schema.")
                }
                let shown = row.isNull(0, 1) ? nil : Shown(try row.int64(0, 1), try row.int64(0, 2))
                return try step(sql, snapshot, shown, layout: row.isNull(0, 3) ? nil : try row.text(0, 3))
            }
        }
        isRegistered = true
        known = snapshot.mark
        return outcome
    }

    private func register() throws {
        do {
            try log.transaction { sql in _ = try sql.run(ProjectionSQL.state) }
        } catch let refusal as SQLRefusal where refusal.isOfExisting {
            // Another program made the same table at the same moment.
        }
        try log.transaction { sql in _ = try sql.run(ProjectionSQL.register, .text(name), .int64(log.id)) }
    }

    /// The state of the tables.
    private struct Shown {
        let version: Version
        let tag: HistoryTag

        init(_ version: Int64, _ tag: Int64) {
            self.version = Version(UInt64(clamping: version))
            self.tag = HistoryTag(rawValue: UInt64(bitPattern: tag))
        }
    }

    private func step(
        _ sql: SQLTransaction, _ snapshot: any Snapshot, _ shown: Shown?, layout text: String?
    ) throws -> Outcome {
        let layout = ProjectionLayout(snapshot.schema)
        let rows = ProjectionWriter(sql, snapshot, layout, schema: name)
        let reason: Reason
        switch try state(sql, snapshot, shown) {
        case .done: return .current
        case .from(let changes) where text == layout.text && !changes.schemaChanged:
            try rows.write(changes)
            try finish(sql, snapshot, layout)
            return .changed(to: snapshot.version, rows: rows.count)
        case .from: reason = .schema
        case .unknown(let why): reason = why
        }
        try ProjectionTables(sql, schema: name).migrate(to: layout)
        try rows.writeAll()
        for reader in readers {
            for statement in ProjectionSQL.grant(to: reader, in: name) { try sql.run(statement) }
        }
        try finish(sql, snapshot, layout)
        return .rewritten(to: snapshot.version, rows: rows.count, reason: reason)
    }

    private enum State {
        case done
        case from(ChangeSet)
        case unknown(Reason)
    }

    private func state(_ sql: SQLTransaction, _ snapshot: any Snapshot, _ shown: Shown?) throws -> State {
        guard let shown else { return .unknown(.first) }
        if shown.version > snapshot.version {
            // Another projector is ahead of this replica, unless the log was set back.
            let newest = try sql.run(ProjectionSQL.realmVersion, .int64(log.id))
            let isFork = try newest.count == 1 && newest.int64(0, 0) < Int64(clamping: shown.version.rawValue)
            return isFork ? .unknown(.fork) : .done
        }
        if shown.version == snapshot.version {
            return shown.tag == snapshot.tag ? .done : .unknown(.fork)
        }
        guard let tag = try store.tag(of: shown.version) else { return .unknown(.history) }
        guard tag == shown.tag else { return .unknown(.fork) }
        guard let sets = try store.changes(after: shown.version) else { return .unknown(.history) }
        var changes = ChangeSet(version: shown.version)
        for set in sets where set.version <= snapshot.version { changes.merge(set) }
        return .from(changes)
    }

    private func finish(_ sql: SQLTransaction, _ snapshot: any Snapshot, _ layout: ProjectionLayout) throws {
        try sql.run(
            ProjectionSQL.advance, .text(name), .int64(Int64(clamping: snapshot.version.rawValue)),
            .int64(Int64(bitPattern: snapshot.tag.rawValue)), .text(layout.text))
    }

    private func reporting<Result>(_ body: () throws -> Result) throws -> Result {
        do { return try body() } catch let refusal as SQLRefusal { throw ProjectionError(refusal, schema: name) }
    }
}

/// A fault that somebody has to mend before a projection can continue.
package struct ProjectionError: Error, Hashable, Sendable, CustomStringConvertible {
    package let description: String
    /// Whether a repetition may succeed without a change: another transaction was in the way.
    package let isTemporary: Bool

    init(_ description: String) {
        self.description = description
        isTemporary = false
    }

    init(_ refusal: SQLRefusal, schema: String) {
        let said = "PostgreSQL refuses the tables of the schema '\(schema)': \(refusal.text) (\(refusal.state))."
        // Serialization failures, deadlocks, lock timeouts, a server that stops, and two that create the same table.
        isTemporary = ["40", "55", "57", "53"].contains { refusal.state.hasPrefix($0) } || refusal.isOfExisting
        let advice =
            switch refusal.state {
            case "42501":
                " The user needs the right to create schemas in the database, or owns the schema; and all rights on the schema realmgate."
            case "2BP01": " Drop what depends on it, such as a view, and make it again afterwards."
            case "42704": " Create the role, or leave --reader out."
            default: ""
            }
        description = said + advice
    }
}
