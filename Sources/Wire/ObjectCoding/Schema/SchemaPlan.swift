package import JSONCoding
package import ObjectModel
package import StoreContract

/// The changes that a schema document would make to a store, and whether they are permitted.
///
/// Stricter than a store: if a property's stored values would be reset because its type changes or it becomes required,
/// a migration step must say how to convert them, because the sender of such a document expects that.
package struct SchemaPlan {
    package struct Change {
        package let change: SchemaDifference.Change
        /// The number of the class's objects; without any, no change has an effect on data.
        package let objectCount: Int
        /// The indices of the steps that convert the values.
        package let steps: [Int]
        package let effect: SchemaDifference.Effect
        /// Whether the schema version and the steps are sufficient for it.
        package let isCovered: Bool
    }

    package let changes: [Change]
    package let document: SchemaDocument
    private let plan: MigrationPlan

    package init(_ document: SchemaDocument, for snapshot: any Snapshot) {
        self.document = document
        let present = snapshot.schema
        // A document that was already applied is not interpreted as a migration from its own result.
        let isApplied =
            document.schema.version == present.version
            && SchemaDifference(from: present, to: document.schema).isEmpty
        let plan = MigrationPlan(from: present, to: document.schema, steps: isApplied ? [] : document.steps)
        self.plan = plan
        changes = plan.difference.changes.map { change in
            let count = present[change.className].map { snapshot.count(of: $0.id) } ?? 0
            let effect = count == 0 ? .automatic : change.effect
            let steps = plan.steps(for: change)
            let falls =
                switch change.kind {
                case .typeChanged, .becameRequired: effect == .losesData
                default: false
                }
            return Change(
                change: change, objectCount: count, steps: steps, effect: effect,
                isCovered: effect == .automatic || plan.isMigration && !(falls && steps.isEmpty))
        }
    }

    package var version: (from: UInt64, to: UInt64) { (plan.old.version, plan.new.version) }

    /// Whether there is nothing to do.
    package var isEmpty: Bool { changes.isEmpty && !plan.isMigration && plan.old.version == plan.new.version }

    /// Errors in steps that cannot be executed, each with its location in the document.
    package var faults: [SchemaFault] {
        plan.faults.map {
            SchemaFault(path: "$.migration[\($0.step)]", message: $0.error.message, hint: $0.error.hint)
        }
    }

    /// The reason why the document cannot be applied as it is; nil if only the data can still prevent it.
    package var refusal: Problem? {
        guard plan.new.version >= plan.old.version else {
            return Problem(
                StoreError.Code.schemaVersionTooLow,
                "Provided schema version \(plan.new.version) is less than last set version \(plan.old.version).")
        }
        if plan.isMigration, let stepRefusal { return stepRefusal }
        let uncovered = changes.filter { !$0.isCovered }
        if !uncovered.isEmpty {
            var problem = Problem(
                StoreError.Code.migrationRequired,
                "Migration is required due to the following errors:\n"
                    + uncovered.map { "- \($0.change.sentence)" }.joined(separator: "\n") + "\n" + advice)
            problem.faults = uncovered.map { SchemaFault(path: $0.change.path, message: $0.change.sentence) }
            return problem
        }
        if !plan.isMigration, !plan.steps.isEmpty {
            return Problem(
                StoreError.Code.migrationRequired,
                "The steps of a migration run only if schemaVersion increases: send one above \(plan.old.version).")
        }
        return nil
    }

    private var stepRefusal: Problem? {
        guard let fault = faults.first else { return nil }
        var problem = Problem(
            StoreError.Code.migrationFailed,
            faults.count == 1 ? fault.message : "\(faults.count) steps cannot be executed. The first: \(fault.message)",
            hint: fault.hint)
        problem.path = fault.path
        problem.faults = faults
        return problem
    }

    private var advice: String {
        guard plan.isMigration else {
            return
                "Send a schemaVersion above \(plan.old.version), and 'migration' steps for the values that must be kept."
        }
        return
            "Send 'migration' steps that convert the values: a convert, copy or default step for each of these properties."
    }
}

extension SchemaPlan {
    /// Writes the response of `POST /v1/schema/plan`.
    ///
    /// - Parameter refusal: the reason why the document cannot be applied, if any.
    package func encode(refusal: Problem?, into writer: JSONWriter) {
        writer.beginObject()
        writer.name("from")
        writer.int(version.from)
        writer.name("to")
        writer.int(version.to)
        writer.name("applicable")
        writer.bool(refusal == nil)
        if let refusal {
            writer.name("code")
            writer.string(refusal.code)
            writer.name("detail")
            writer.string(refusal.detail)
        }
        writer.name("changes")
        writer.beginArray()
        for change in changes { encode(change, into: writer) }
        writer.endArray()
        writer.faults(faults)
        writer.endObject()
    }

    private func encode(_ change: Change, into writer: JSONWriter) {
        writer.beginObject()
        writer.name("path")
        writer.string(change.change.path)
        writer.name("change")
        writer.string(change.change.sentence)
        writer.name("effect")
        writer.string(change.effect.rawValue)
        writer.name("objects")
        writer.int(change.objectCount)
        writer.name("steps")
        writer.beginArray()
        for step in change.steps { writer.int(step) }
        writer.endArray()
        writer.name("covered")
        writer.bool(change.isCovered)
        writer.endObject()
    }
}

extension JSONWriter {
    /// Writes the member `faults` of a response.
    package func faults(_ faults: [SchemaFault]) {
        name("faults")
        beginArray()
        for fault in faults {
            beginObject()
            name("path")
            string(fault.path)
            name("detail")
            string(fault.message)
            if let hint = fault.hint {
                name("hint")
                string(hint)
            }
            endObject()
        }
        endArray()
    }
}
