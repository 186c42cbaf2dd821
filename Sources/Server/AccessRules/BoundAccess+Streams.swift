package import ObjectModel
package import QueryLanguage
package import StoreContract

/// What streams need to know of what is there.
extension BoundAccess {
    /// What the snapshot was restricted by; nil for one that shows everything.
    package static func of(_ snapshot: any ObjectReads) -> BoundAccess? {
        (snapshot as? any RestrictingReads)?.access
    }

    /// The schema that the store has at the version, whatever of it is shown.
    package static func wholeSchema(of snapshot: any Snapshot) -> Schema { of(snapshot)?.schema ?? snapshot.schema }

    /// The same of a transaction.
    package static func of(_ transaction: any WriteTransaction) -> BoundAccess? {
        (transaction as? RestrictedTransaction)?.access
    }

    /// The schema as the caller of a transaction may read: what may be written and not read is not in it.
    package static func readableSchema(of transaction: any WriteTransaction) -> Schema {
        of(transaction)?.visibleSchema ?? transaction.schema
    }

    /// Whether a change of another object may decide whether one of this class is there.
    package func dependsOnOthers(_ classID: ClassID) -> Bool { access(classID).whole.readsOthers }

    /// Whether the object was there for the caller at an earlier version.
    package func wasThere(_ object: ObjectReference, in reads: any ObjectReads) throws -> Bool {
        let rule = BoundQuery(classID: object.classID, predicate: access(object.classID).whole)
        return try reads.matches(rule, object.key)
    }

    /// What an object must be like to be there, by its class: of all classes of the store that have objects which are.
    package var conditions: [ClassID: BoundPredicate] {
        var conditions: [ClassID: BoundPredicate] = [:]
        for objectClass in visibleSchema.classes { conditions[objectClass.id] = access(objectClass.id).whole }
        return conditions
    }

    /// Whether the class has a list of its own: embedded classes that the role does not name have none.
    package func isListed(_ classID: ClassID) -> Bool { access(classID).listed != .constant(false) }
}
