package import ObjectModel
package import QueryLanguage
package import StoreContract

/// Information about visibility for event streams.
extension BoundAccess {
    /// Returns the access by which the context was restricted; nil for an unrestricted context.
    package static func of(_ context: any ReadContext) -> BoundAccess? {
        (context as? any RestrictedContext)?.access
    }

    /// Returns the complete schema of the store at the snapshot's version.
    package static func wholeSchema(of snapshot: any Snapshot) -> Schema { of(snapshot)?.schema ?? snapshot.schema }

    /// Returns the schema that the caller may read. In a transaction, it omits properties that the caller may only
    /// write.
    package static func readableSchema(of context: any ReadContext) -> Schema {
        of(context)?.visibleSchema ?? context.schema
    }

    /// Whether a change of another object can change the visibility of an object of this class.
    package func dependsOnOthers(_ classID: ClassID) -> Bool { access(classID).whole.readsOthers }

    /// Whether the object was visible to the caller at an earlier version.
    package func wasThere(_ object: ObjectReference, in reads: any ObjectReads) throws -> Bool {
        let rule = BoundQuery(classID: object.classID, predicate: access(object.classID).whole)
        return try reads.matches(rule, object.key)
    }

    /// The conditions for the visibility of objects, by class, for all of the store's classes that have visible
    /// objects.
    package var conditions: [ClassID: BoundPredicate] {
        var conditions: [ClassID: BoundPredicate] = [:]
        for objectClass in visibleSchema.classes { conditions[objectClass.id] = access(objectClass.id).whole }
        return conditions
    }

    /// Whether the class can be listed: embedded classes that the role does not name cannot.
    package func isListed(_ classID: ClassID) -> Bool { access(classID).listed != .constant(false) }
}
