package import JSONCoding
package import ObjectModel
package import QueryLanguage
package import StoreContract
import Synchronization

/// The database as one caller may see and change it: as if what it may not read did not exist.
///
/// Callers with equal views share live results and encoded events.
package struct AccessView: Hashable, Sendable {
    package let role: Role
    /// What the rules refer to, and nothing else: callers whose other claims differ have equal views.
    package let claims: JSONValue

    /// - Parameter claims: all that are known of the caller.
    package init(role: Role, claims: JSONValue = [:]) {
        self.role = role
        self.claims = ClaimNames.keep(claims, for: role)
    }

    /// Sees and does everything.
    package static let unrestricted = AccessView(role: .administrator)

    package var isUnrestricted: Bool { role.isAdministrator }

    /// The view bound to a schema. Cost: a look-up when it was asked for lately.
    package func access(under schema: Schema) -> BoundAccess {
        Self.known.withLock { known in
            if let access = known[self], access.schema == schema { return access }
            if known.count >= Self.mostKnown { known = [:] }
            let access = BoundAccess(role, claims: claims, schema)
            known[self] = access
            return access
        }
    }

    private static let known = Mutex<[AccessView: BoundAccess]>([:])
    private static let mostKnown = 1000

    /// Whether a schema is what the caller sees, or may write, of a store's.
    package func shows(_ schema: Schema, of whole: Schema) -> Bool {
        guard !isUnrestricted else { return schema == whole }
        let access = access(under: whole)
        return schema == access.visibleSchema || schema == access.writableSchema
    }

    /// The snapshot with the schema, the objects, the properties and the links that exist for the caller.
    package func restrict(_ snapshot: any Snapshot) throws -> any Snapshot {
        guard !isUnrestricted else { return snapshot }
        return RestrictedSnapshot(snapshot, access(under: snapshot.schema))
    }

    /// An earlier version in the same way.
    package func restrict(past reads: any ObjectReads) throws -> any ObjectReads {
        isUnrestricted ? reads : RestrictedReads(reads, access(under: reads.schema))
    }

    /// What the query, bound to the visible schema, means to the caller: for those who run it without the snapshot
    /// above, as live queries do.
    package func restrict(_ query: BoundQuery, _ schema: Schema) throws -> BoundQuery {
        isUnrestricted ? query : access(under: schema).restrict(query)
    }

    /// Does work in a transaction that shows what exists for the caller and refuses what it may not do. What must hold
    /// at the end of a write is checked when the work is done.
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
