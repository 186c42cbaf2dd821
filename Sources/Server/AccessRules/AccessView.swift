import Basics
package import JSONCoding
package import ObjectModel
package import QueryLanguage
package import StoreContract
import Synchronization

/// Row-level security: the database as one caller can see and change it. Data that the caller may not read appears not
/// to exist.
///
/// Callers with equal views share live results and encoded events.
package struct AccessView: Hashable, Sendable {
    package let role: Role
    /// Only the claims that the rules refer to: callers with different other claims have equal views.
    package let claims: JSONValue

    /// - Parameter claims: all claims of the caller.
    package init(role: Role, claims: JSONValue = [:]) {
        self.role = role
        self.claims = ClaimNames.keep(claims, for: role)
    }

    /// The view with full access.
    package static let unrestricted = AccessView(role: .administrator)

    package var isUnrestricted: Bool { role.isAdministrator }

    /// Identifies what the caller may see, in every process: nil for full access, otherwise a hash of the rules for
    /// reading and of the claims. Marks carry it, so that a state that a client saw by other rules counts as unknown.
    /// Cost: some microseconds, with the length of the rules.
    package var fingerprint: UInt32? {
        guard !isUnrestricted else { return nil }
        let json = JSONWriter(capacity: 256)
        json.beginArray()
        json.value(claims)
        for (name, rule) in role.classes.sorted(by: { $0.key < $1.key }) { json.rule(rule, name) }
        json.rule(role.others, nil)
        json.endArray()
        return json.withBytes { bytes in
            let hash = FNV1a.hash(bytes)
            return UInt32(truncatingIfNeeded: hash ^ hash >> 32)
        }
    }

    /// Whether a client that presents this mark saw the state as this view shows it: it is of the store's history, and
    /// the permissions of the caller were the same.
    package func knows(_ mark: Mark, in store: any Store) throws -> Bool {
        try mark.view == fingerprint && store.knows(mark)
    }

    /// Returns the view bound to a schema. Cost: a lookup if it was used recently.
    package func access(under schema: Schema) -> BoundAccess {
        Self.known.withLock { known in
            if let access = known[self], access.schema == schema { return access }
            if known.count >= Self.maximumKnown { known = [:] }
            let access = BoundAccess(self, schema)
            known[self] = access
            return access
        }
    }

    private static let known = Mutex<[AccessView: BoundAccess]>([:])
    private static let maximumKnown = 1000

    /// Returns whether a schema is the part of a store's schema that the caller can see or write.
    package func shows(_ schema: Schema, of whole: Schema) -> Bool {
        guard !isUnrestricted else { return schema == whole }
        let access = access(under: whole)
        return schema == access.visibleSchema || schema == access.writableSchema
    }

    /// Returns the snapshot with the schema, objects, properties and links that are visible to the caller.
    package func restrict(_ snapshot: any Snapshot) throws -> any Snapshot {
        guard !isUnrestricted else { return snapshot }
        return RestrictedSnapshot(snapshot, access(under: snapshot.schema))
    }

    /// Restricts an earlier version in the same way.
    package func restrict(past reads: any ObjectReads) throws -> any ObjectReads {
        isUnrestricted ? reads : RestrictedReads(reads, access(under: reads.schema))
    }

    /// Restricts a query bound to the visible schema, for callers such as live queries that run it without a restricted
    /// snapshot.
    package func restrict(_ query: BoundQuery, _ schema: Schema) throws -> BoundQuery {
        isUnrestricted ? query : access(under: schema).restrict(query)
    }

    /// Runs work in a transaction that shows what is visible to the caller and rejects what it may not do. Conditions
    /// for the end of a write are checked after the work.
    package func perform<R>(
        in transaction: any WriteTransaction, _ work: (any WriteTransaction) throws -> R
    ) throws -> R {
        guard !isUnrestricted else { return try work(transaction) }
        let restricted = RestrictedTransaction(transaction, access(under: transaction.schema))
        let result = try work(restricted)
        try restricted.finish()
        return result
    }
}

extension JSONWriter {
    /// Writes what a rule lets a caller read of a class; of all other classes without a name.
    fileprivate func rule(_ rule: ClassRule, _ name: String?) {
        beginArray()
        value(name.map { .string($0) } ?? .null)
        value(rule.read.map { .string($0) } ?? .null)
        value(rule.readableProperties.map { .array($0.sorted().map { .string($0) }) } ?? .null)
        endArray()
    }
}
