import ObjectModel
import StoreContract

/// The source of objects when a path is resolved: a snapshot, or a write transaction with its own changes.
enum ObjectSource {
    case snapshot(any ObjectReads)
    case transaction(any WriteTransaction)

    var schema: Schema {
        switch self {
        case .snapshot(let snapshot): snapshot.schema
        case .transaction(let transaction): transaction.schema
        }
    }

    func find(_ address: ObjectAddress, _ objectClass: ClassSchema) throws -> ObjectKey? {
        switch self {
        case .snapshot(let snapshot): try address.find(objectClass, in: snapshot)
        case .transaction(let transaction): try address.find(objectClass, in: transaction)
        }
    }

    func value(_ object: ObjectReference, _ property: PropertyID) throws -> Value {
        switch self {
        case .snapshot(let snapshot): try snapshot.value(object.classID, object.key, property)
        case .transaction(let transaction): try transaction.value(object.classID, object.key, property)
        }
    }

    func elementCount(_ object: ObjectReference, _ property: PropertyID) throws -> Int {
        switch self {
        case .snapshot(let snapshot): try snapshot.elementCount(object.classID, object.key, property)
        case .transaction(let transaction): try transaction.elementCount(object.classID, object.key, property)
        }
    }

    func element(_ object: ObjectReference, _ property: PropertyID, at index: Int) throws -> Value? {
        switch self {
        case .snapshot(let snapshot):
            try snapshot.elements(object.classID, object.key, property, index..<index + 1).first
        case .transaction(let transaction):
            try transaction.elements(object.classID, object.key, property, index..<index + 1).first
        }
    }

    func backlinks(to object: ObjectReference, from origin: ClassID, _ property: PropertyID) throws -> [ObjectKey] {
        switch self {
        case .snapshot(let snapshot): try snapshot.backlinks(to: object, from: origin, property)
        case .transaction(let transaction): try transaction.backlinks(to: object.key, from: origin, property)
        }
    }
}
