import HTTPServer
import ObjectModel
import QueryLanguage
import StoreContract

/// The objects that a path names: all of a class, or those that a property of one object leads to.
struct CollectionPlace: Sendable {
    let snapshot: any Snapshot
    /// The class of the objects.
    let objectClass: ClassSchema
    let scope: QueryScope
    /// As many objects as there may be.
    let size: Int

    /// Reads `{Class}`.
    init(class path: PathParameters, _ snapshot: any Snapshot) throws(Problem) {
        try self.init(className: path["class"] ?? "", snapshot)
    }

    init(className: String, _ snapshot: any Snapshot) throws(Problem) {
        self.snapshot = snapshot
        objectClass = try snapshot.schema.named(className)
        scope = .all
        size = snapshot.count(of: objectClass.id)
    }

    /// The objects that a property leads to; nil for a property of values. Throws what the store does.
    init?(_ property: HeldProperty) throws {
        guard let target = property.schema.targetClass.flatMap({ property.snapshot.schema[$0] }) else { return nil }
        snapshot = property.snapshot
        objectClass = target
        scope = .property(property.holder, property.schema.id)
        // How many objects link to one is known when they have been read; at most all of their class, unless some do
        // so several times.
        size = property.schema.type.isComputed ? snapshot.count(of: target.id) : try property.elementCount
    }

    /// What the class's values are read by, and the parameters with them.
    func reader(_ configuration: GatewayConfiguration) -> QueryReader {
        QueryReader(schema: snapshot.schema, configuration: configuration)
    }
}

/// A collection property, or linking objects, of one object: what `{Class}/{key}/{property}` names.
struct HeldProperty: Sendable {
    let snapshot: any Snapshot
    let holder: ObjectReference
    let holderClass: ClassSchema
    let schema: PropertySchema

    /// Throws 404 for a class, object or property that is not there, and 400 for a property of a single value.
    init(_ path: PathParameters, _ snapshot: any Snapshot) throws {
        let object = try AddressedObject(path, snapshot)
        let name = path["property"] ?? ""
        guard let property = object.objectClass[name] else {
            throw Problem(
                404, "object.unknown_property", "'\(object.objectClass.name)' has no property '\(name)'.",
                property: name, hint: object.objectClass.properties.map(\.name).nearest(to: name))
        }
        guard property.type.isCollection || property.type.isComputed else {
            throw Problem(
                400, StoreError.Code.notACollection.rawValue,
                "'\(object.objectClass.name).\(name)' is a single value. Read it with the object, or alone with ?fields=\(name).",
                property: name)
        }
        guard let key = try object.address.find(object.objectClass, in: snapshot) else {
            throw object.address.notFound(object.objectClass)
        }
        self.snapshot = snapshot
        holder = ObjectReference(object.objectClass.id, key)
        holderClass = object.objectClass
        schema = property
    }

    /// Of a stored property. Throws what the store does.
    var elementCount: Int {
        get throws { try snapshot.elementCount(holder.classID, holder.key, schema.id) }
    }
}
