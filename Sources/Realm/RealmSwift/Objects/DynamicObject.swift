import Foundation
import ObjectModel

/// An object whose properties are accessed by name, for classes with or without a Swift type: in migrations, and from
/// `Realm.dynamicObjects`.
@dynamicMemberLookup
public final class DynamicObject: Object {
    /// Reads a property by name or, within a write, assigns it: `object.age` is `object["age"]`. Traps for names that
    /// do not exist.
    public subscript(dynamicMember member: String) -> Any? {
        get { self[member] }
        set { self[member] = newValue }
    }

    public override func value(forUndefinedKey key: String) -> Any? { self[key] }

    public override func setValue(_ value: Any?, forUndefinedKey key: String) { self[key] = value }

    public override class func shouldIncludeInDefaultSchema() -> Bool { false }

    override var storedProperties: [(slot: Int, name: String)] {
        _class?.properties.filter { !$0.type.isComputed }.map { (slot: $0.slot, name: $0.name) } ?? []
    }

    override func slotIfKnown(of name: String) -> Int? {
        guard let slot = _class?[name]?.slot else {
            // A migration may use stored names, too.
            guard _realm?.file == nil else { return nil }
            return _class?.properties.first { $0.column == name }?.slot
        }
        return slot
    }

    override func dynamicValue(_ slot: Int) -> Any? {
        guard let property = _class?.properties[slot] else { return nil }
        return trapOnError {
            switch property.type.collection {
            case .list: return try property.type.base.visit(DynamicProperty.AsList(object: self, slot: slot))
            case .set: return try property.type.base.visit(DynamicProperty.AsSet(object: self, slot: slot))
            case .map: return try property.type.base.visit(DynamicProperty.AsMap(object: self, slot: slot))
            case .single:
                if property.type.isComputed {
                    return LinkingObjects<DynamicObject>(accessor: try PropertyAccessor(self, slot))
                }
                let value = try stored(slot)
                if value.isNull { return property.type.isMixed ? AnyRealmValue.none : nil }
                if property.type.isMixed { return AnyRealmValue._get(self, slot) }
                // Like the results of typed queries, but within a migration all objects are dynamic.
                if case .reference(let target) = value, let _realm, _realm.file != nil {
                    return try _realm.object(target)
                }
                return try property.type.base.visit(DynamicProperty.AsValue(value: value, realm: _realm))
            }
        }
    }

    override func setDynamicValue(_ slot: Int, _ value: Any?) throws {
        guard let boundClass = _class else { return }
        let property = boundClass.properties[slot]
        guard !property.type.isComputed else {
            throw RealmException("Linking objects property '\(boundClass.name).\(property.name)' is read-only.")
        }
        try checkAssignment(slot, value)
        if let embedded = value as? EmbeddedObject, try owns(embedded, at: slot) { return }
        try assign(slot) { try ObjectBuilder($0, copies: false).value(value, for: property, boundClass) }
    }
}

/// The Swift types of values of properties that have no model.
enum DynamicProperty {
    struct AsValue: BaseTypeVisitor {
        let value: Value
        let realm: RLMRealm?

        func visit<T: _RealmCollectionValueInsideOptional>(_: T.Type) throws -> Any {
            try T._restored(_Stored(value), in: realm)
        }

        func visitMixed() throws -> Any { try AnyRealmValue._restored(_Stored(value), in: realm) }
    }

    struct AsList: BaseTypeVisitor {
        let object: ObjectBase
        let slot: Int

        func visit<T: _RealmCollectionValueInsideOptional>(_: T.Type) throws -> Any {
            let isOptional = object._class?.properties[slot].type.isOptional == true
            return isOptional ? List<T?>._get(object, slot) as Any : List<T>._get(object, slot)
        }

        func visitMixed() throws -> Any { List<AnyRealmValue>._get(object, slot) }
    }
}

extension DynamicProperty {
    struct AsSet: BaseTypeVisitor {
        let object: ObjectBase
        let slot: Int

        func visit<T: _RealmCollectionValueInsideOptional>(_: T.Type) throws -> Any {
            let isOptional = object._class?.properties[slot].type.isOptional == true
            return isOptional ? MutableSet<T?>._get(object, slot) as Any : MutableSet<T>._get(object, slot)
        }

        func visitMixed() throws -> Any { MutableSet<AnyRealmValue>._get(object, slot) }
    }

    struct AsMap: BaseTypeVisitor {
        let object: ObjectBase
        let slot: Int

        func visit<T: _RealmCollectionValueInsideOptional>(_: T.Type) throws -> Any {
            let isOptional = object._class?.properties[slot].type.isOptional == true
            return isOptional ? Map<String, T?>._get(object, slot) as Any : Map<String, T>._get(object, slot)
        }

        func visitMixed() throws -> Any { Map<String, AnyRealmValue>._get(object, slot) }
    }
}

/// An operation on the Swift type of a base type.
protocol BaseTypeVisitor {
    func visit<T: _RealmCollectionValueInsideOptional>(_: T.Type) throws -> Any
    func visitMixed() throws -> Any
}

extension BaseType {
    /// Calls the visitor with the Swift type of this base type's values; objects are dynamic.
    func visit(_ visitor: some BaseTypeVisitor) throws -> Any {
        switch self {
        case .bool: try visitor.visit(Bool.self)
        case .int: try visitor.visit(Int.self)
        case .float: try visitor.visit(Float.self)
        case .double: try visitor.visit(Double.self)
        case .string: try visitor.visit(String.self)
        case .data: try visitor.visit(Data.self)
        case .date: try visitor.visit(Date.self)
        case .decimal128: try visitor.visit(Decimal128.self)
        case .objectId: try visitor.visit(ObjectId.self)
        case .uuid: try visitor.visit(UUID.self)
        case .link, .linkingObjects: try visitor.visit(DynamicObject.self)
        case .mixed: try visitor.visitMixed()
        }
    }
}
