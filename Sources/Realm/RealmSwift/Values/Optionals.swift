import Foundation
import ObjectModel

extension Optional: _HasPersistedType where Wrapped: _HasPersistedType {
    public typealias PersistedType = Wrapped.PersistedType?
}

extension Optional: _RealmSchemaDiscoverable where Wrapped: _RealmCollectionValueInsideOptional {}

extension Optional: _Storable where Wrapped: _RealmCollectionValueInsideOptional {
    public static var _storedType: _StoredType {
        var stored = Wrapped._storedType
        stored.type.isOptional = true
        return stored
    }

    public static func _restored(_ stored: _Stored, in realm: RLMRealm?) throws -> Wrapped? {
        if stored.value.isNull { return nil }
        do {
            return try Wrapped._restored(stored, in: realm)
        } catch is Unrepresentable where Wrapped.self is any _MayNotRestore.Type {
            return nil
        }
    }

    public func _stored(by persister: _ObjectPersister) throws -> _Stored {
        try self?._stored(by: persister) ?? _Stored(.null)
    }

    public static func _zero() -> Wrapped? { nil }

    public static func _traced(_ trace: _Trace) -> Wrapped? {
        // Such a type may have no value that could stand for any.
        Wrapped.self is any _MayNotRestore.Type ? nil : Wrapped._traced(trace)
    }

    public static func _converted(_ value: Any?, _ context: _PropertyContext) throws -> Wrapped? {
        guard let value = value.flatMap({ flattened($0) }), !(value is NSNull) else { return nil }
        do {
            return try Wrapped._converted(value, context)
        } catch
            where Wrapped.self is any _MayNotRestore.Type
            && (error is Unrepresentable || Conversion.plain(value, as: context.type) != nil)
        {
            // The value can be stored, but the type has no case for it.
            return nil
        }
    }
}

extension Optional: RealmCollectionValue where Wrapped: _RealmCollectionValueInsideOptional {}
extension Optional: _RealmCollectionValueInsideOptional where Wrapped: _NestedOptional {}

/// No type conforms to it: optionals of optionals are not stored.
public protocol _NestedOptional: _RealmCollectionValueInsideOptional {}

extension Optional: _Persistable where Wrapped: _RealmCollectionValueInsideOptional {
    @inlinable
    public static func _get(_ object: ObjectBase, _ slot: Int) -> Wrapped? { Wrapped._getOptional(object, slot) }

    @inlinable
    public static func _set(_ object: ObjectBase, _ slot: Int, _ value: Wrapped?) {
        Wrapped._setOptional(object, slot, value)
    }
}

extension Optional: MinMaxType where Wrapped: MinMaxType {}
extension Optional: SortableType where Wrapped: SortableType {}
extension Optional: _PrimaryKey where Wrapped: _PrimaryKey {}
extension Optional: _Indexable where Wrapped: _Indexable {}

extension Optional: AddableType where Wrapped: AddableType {
    public static func _noSum() -> Wrapped? { Wrapped._noSum() }
}

/// A type that may have no value for a stored value; an optional of it is nil then.
public protocol _MayNotRestore {}
