import LMDBStorage
import StoredRecords
package import ObjectModel
package import StoreContract

/// Replaces the schema in a write session that does nothing else; see `Store.replaceSchema` and `Migration`.
package struct SchemaChange {
    private let session: WriteSession
    private let plan: MigrationPlan
    private let block: (@Sendable (any MigrationTransaction) throws -> Void)?

    /// Throws `schemaInvalid`, `schemaVersionTooLow`, `migrationRequired`, `migrationFailed`; nothing has been changed
    /// then.
    package init(_ session: WriteSession, to requested: Schema, _ migration: Migration?) throws {
        self.session = session
        let old = session.schema
        try StoreError.check(requested)
        guard requested.version >= old.version else {
            throw StoreError(
                .schemaVersionTooLow,
                "Provided schema version \(requested.version) is less than last set version \(old.version).")
        }
        // Migrations run only when the version rises, unless all that they do is to add objects.
        let rises = requested.version > old.version
        plan = MigrationPlan(from: old, to: requested, steps: rises ? migration?.steps ?? [] : [])
        block = rises || migration?.addsObjects == true ? migration?.block : nil
        // Numbers may have run out.
        try StoreError.check(plan.new)
        if let fault = plan.faults.first { throw fault.error }
        if !rises { try StoreError.checkAutomatic(plan, hasObjects: hasObjects) }
    }

    /// `old` returns the store as it is before. When this throws, the session must not be committed.
    package func apply(version: Version, old: () throws -> any Snapshot) throws -> ChangeSet {
        if plan.steps.isEmpty, block == nil, plan.difference.migrationReasons(hasObjects: hasObjects).isEmpty {
            try MigrationLayout(session).change(to: plan.new)
        } else {
            let member = try MigratingTransaction(session, version: version, old: try old(), plan: plan)
            for step in plan.steps { try member.perform(step) }
            try block?(member)
            if let failure = session.failure { throw failure }
            try MigrationClosing(member).run()
        }
        try session.transaction.put(
            session.trees.meta, FileFormat.schemaKey, SchemaRecord.encode(session.schema))
        return ChangeSet(version: version, schemaChanged: true)
    }

    private func hasObjects(_ className: String) -> Bool {
        guard let objectClass = session.schema[className].flatMap({ session.objectClass($0.id) }) else { return false }
        return objectClass.state.objectCount > 0
    }
}
