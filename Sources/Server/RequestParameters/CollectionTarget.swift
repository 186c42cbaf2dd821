package import HTTPServer
package import ObjectCoding
package import ObjectModel
package import QueryLanguage
package import RequestHandling
package import StoreContract
package import WriteRequests

/// The objects that a path names: all of a class, or the targets of one object's property.
package struct CollectionTarget: Sendable {
    package let snapshot: any Snapshot
    /// The class of the objects.
    package let objectClass: ClassSchema
    package let scope: QueryScope
    /// The maximum number of objects.
    package let size: Int
    /// Whether they are embedded objects reached through their owner.
    package let isOwned: Bool
    /// The steps of the path to the object that holds them.
    package var hops: [PathHop] = []

    /// See `TopicKey.hopQueries`.
    package var hopQueries: [BoundQuery] { hops.map(\.query) }

    /// Resolves `{Class}`.
    package init(class path: PathParameters, _ snapshot: any Snapshot) throws(Problem) {
        try self.init(className: path["class"] ?? "", snapshot)
    }

    package init(className: String, _ snapshot: any Snapshot) throws(Problem) {
        self.snapshot = snapshot
        objectClass = try snapshot.schema.named(className)
        scope = .all
        isOwned = false
        size = snapshot.count(of: objectClass.id)
    }

    /// The targets of a property; nil for a property of plain values. Throws the errors of the store.
    package init?(_ property: PropertyCollection) throws {
        guard let target = property.schema.targetClass.flatMap({ property.snapshot.schema[$0] }) else { return nil }
        snapshot = property.snapshot
        objectClass = target
        scope = .property(property.holder, property.schema.id)
        isOwned = property.schema.ownsTarget
        hops = property.hops
        // The number of objects that link to one is known only after reading them; it is at most that of their class,
        // unless some link several times.
        size = property.schema.type.isComputed ? snapshot.count(of: target.id) : try property.elementCount
    }

    /// The snapshot, if its budget covers all work of a query. It does not if the property of one object is read
    /// first.
    package var counted: (any Snapshot)? { scope == .all ? snapshot : nil }

    /// Returns a reader for queries and parameters of the class.
    ///
    /// - Parameter known: keeps parsed queries for callers with the whole schema.
    package func reader(_ configuration: borrowing GatewayConfiguration, _ known: QueryCache? = nil) -> QueryReader {
        QueryReader(schema: snapshot.schema, limits: QueryLimits(configuration), known: known)
    }
}

/// A collection property or linking objects of one object, named by `{Class}/{key}/{property}` or a deeper path.
package struct PropertyCollection: Sendable {
    package let snapshot: any Snapshot
    package let holder: ObjectReference
    package let holderClass: ClassSchema
    package let schema: PropertySchema
    /// The steps of the path to the holder.
    package let hops: [PathHop]

    /// See `TopicKey.hopQueries`.
    package var hopQueries: [BoundQuery] { hops.map(\.query) }

    /// Throws 404 if a part of the path does not exist, and 400 for a single value or an element.
    package init(_ path: PathParameters, _ snapshot: any Snapshot) throws {
        try self.init(
            collection: try PropertyPath(path, snapshot.schema).resolve(in: snapshot), snapshot)
    }

    /// Throws 400 for a single value or an element.
    package init(collection path: ResolvedPropertyPath, _ snapshot: any Snapshot) throws(Problem) {
        guard let collection = PropertyCollection(path, snapshot) else {
            throw Problem(
                .pathNotACollection,
                "'\(path.name)' is a single value. Read it with the object, or alone at /v1/objects/….",
                property: path.property.name)
        }
        self = collection
    }

    /// Nil for a path whose end is not declared as a collection.
    package init?(_ path: ResolvedPropertyPath, _ snapshot: any Snapshot) {
        guard path.isCollection else { return nil }
        self.snapshot = snapshot
        holder = path.holder
        holderClass = path.holderClass
        schema = path.property
        hops = path.hops
    }

    /// The number of elements of a stored property. Throws the errors of the store.
    package var elementCount: Int {
        get throws { try snapshot.elementCount(holder.classID, holder.key, schema.id) }
    }
}
