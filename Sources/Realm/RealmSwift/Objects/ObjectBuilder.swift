import Foundation
import ObjectModel
import StoreContract

/// Creates stored objects from values by name: dictionaries, arrays in the order of declaration, and other objects,
/// nested to any depth.
struct ObjectBuilder {
    let persister: _ObjectPersister
    /// Whether unmanaged objects are copied, as by `create`; else they become managed themselves.
    private let copies: Bool
    private var realm: RLMRealm { persister.realm }

    init(_ persister: _ObjectPersister, copies: Bool = true) {
        self.persister = persister
        self.copies = copies
    }

    /// Creates an object, or updates one according to the policy. If the class has no primary key, `.modified` updates
    /// `current`, the target of the link that is assigned.
    func create(
        _ boundClass: BoundClass, from source: Any, isNested: Bool = false, over current: ObjectKey? = nil
    ) throws -> ObjectKey {
        guard !boundClass.isEmbedded else { throw RealmException("Embedded objects cannot be created directly") }
        if !isNested { try persister.check(boundClass) }
        let object = source as? ObjectBase
        if let object {
            if object._realm === realm, object._class === boundClass, persister.policy != .error {
                try realm.check(object)
                return object._objectKey
            }
            // An object that links back to itself.
            if let key = persister.inCreation[SourceID(object)] { return key }
        }
        let given = try GivenValues(source, for: boundClass)
        let transaction = try realm.writing()
        let sample = boundClass.model?.type.init()
        var known = boundClass.primaryKey == nil ? current : nil
        if let primaryKey = boundClass.primaryKey,
            let stored = try stored(primaryKey, given, sample, boundClass),
            let key = try transaction.key(of: boundClass.id, primaryKey: stored)
        {
            guard persister.policy != .error else {
                return try persister.make(boundClass, [primaryKey.id: stored], transaction).0
            }
            known = key
        }
        if let known {
            return try whileInCreation(object, known) {
                let values = try givenValues(given, boundClass, known)
                try transaction.set(boundClass.id, known, values, onlyDifferent: persister.policy == .modified)
            }
        }
        var values: [PropertyID: Value] = [:]
        var links: [BoundProperty] = []
        for property in boundClass.properties where !property.type.isComputed {
            // Creates the object first and then the objects that it links to: they may link back to it, and come after
            // it in the order of creation.
            if property.type.isLink || property.type.isMixed, object != nil || makesObjects(given[property]) {
                links.append(property)
            } else {
                values[property.id] = try stored(property, given, sample, boundClass)
            }
        }
        let key = try persister.make(boundClass, values, transaction).0
        return try whileInCreation(object, key) {
            var rest: [PropertyID: Value] = [:]
            for property in links {
                let value = try stored(property, given, sample, boundClass)
                if let value, value != property.type.zeroValue { rest[property.id] = value }
            }
            if !rest.isEmpty { try transaction.set(boundClass.id, key, rest) }
        }
    }

    private func whileInCreation(_ source: ObjectBase?, _ key: ObjectKey, _ body: () throws -> Void) throws -> ObjectKey
    {
        let id = source.map { SourceID($0) }
        if let id { persister.inCreation[id] = key }
        defer { if let id, !persister.createsOnce { persister.inCreation[id] = nil } }
        try body()
        return key
    }

    /// Whether the given value may create objects.
    private func makesObjects(_ given: Any??) -> Bool {
        guard let given, let value = given.flatMap({ flattened($0) }) else { return false }
        if let object = value as? ObjectBase { return object._realm !== realm }
        return !(value is NSNull)
    }

    /// Returns the value of a new object's property: the given one, else the declared default.
    private func stored(
        _ property: BoundProperty, _ given: GivenValues, _ sample: ObjectBase?, _ boundClass: BoundClass
    ) throws -> Value? {
        if let value = given[property] { return try self.value(value, for: property, boundClass) }
        guard let sample else { return nil }
        let model = sample.model.properties[property.slot]
        return try model.wrapper.stored(at: sample.address(of: model), by: persister)?.value
    }

    /// Returns the given values for an existing object.
    private func givenValues(
        _ given: GivenValues, _ boundClass: BoundClass, _ key: ObjectKey
    ) throws -> [PropertyID: Value] {
        var values: [PropertyID: Value] = [:]
        for property in boundClass.properties where !property.isPrimaryKey && !property.type.isComputed {
            guard let value = given[property] else { continue }
            var present: Value?
            if persister.policy == .modified, property.type.isLink {
                present = try realm.value(boundClass.id, key, property.id)
            }
            values[property.id] = try self.value(value, for: property, boundClass, over: present)
        }
        return values
    }

    /// Returns the values of a new embedded object, or updates an existing one with the given values.
    private func embedded(_ source: Any, _ boundClass: BoundClass, over current: ObjectKey?) throws -> Value {
        let given = try GivenValues(source, for: boundClass)
        if let current { return .embedded(try givenValues(given, boundClass, current)) }
        let sample = boundClass.model?.type.init()
        var values: [PropertyID: Value] = [:]
        for property in boundClass.properties where !property.type.isComputed {
            values[property.id] = try stored(property, given, sample, boundClass)
        }
        return .embedded(values)
    }

    /// Returns the stored form of a value given for a property; nil means null. `present` is the property's present
    /// value, for linked objects that are updated in place.
    func value(
        _ value: Any?, for property: BoundProperty, _ boundClass: BoundClass, over present: Value? = nil
    ) throws -> Value {
        let context = _PropertyContext(className: boundClass.name, property: property.name, type: property.type)
        let value = value.flatMap { $0 is NSNull ? nil : flattened($0) }
        switch property.type.collection {
        case .single: return try element(value, property, context, over: present)
        case .list:
            guard let value else { return .list([]) }
            var old: [Value] = []
            if case .list(let elements)? = present { old = elements }
            let null = mappedNull(property, boundClass)
            return .list(
                try elements(value, context).enumerated().map { index, value in
                    let value =
                        null.flatMap { null in flattened(value).map { $0 is NSNull ? null : $0 } ?? null } ?? value
                    return try element(value, property, context, over: index < old.count ? old[index] : nil)
                })
        case .set:
            guard let value else { return .set([]) }
            return .set(try elements(value, context).map { try element($0, property, context) }.asSet)
        case .map:
            guard let value else { return .dictionary(ValueMap()) }
            guard let entries = Entries(value) else { throw context.typeMismatch(value) }
            var old = ValueMap()
            if case .dictionary(let map)? = present { old = map }
            return .dictionary(
                ValueMap(
                    try entries.pairs.map { ($0.key, try element($0.value, property, context, over: old[$0.key])) }))
        }
    }

    /// Returns the value that null means in a list whose elements are of a custom type that is stored as an embedded
    /// object; nil for other lists.
    private func mappedNull(_ property: BoundProperty, _ boundClass: BoundClass) -> Any? {
        guard property.ownsTarget,
            let list = boundClass.model?.properties[property.slot].wrapper.valueType as? any _TypedElements.Type,
            let element = list.elementType as? any _CustomPersistable.Type
        else { return nil }
        func zero<C: _CustomPersistable>(_: C.Type) -> Any { C._zero().persistableValue }
        return zero(element)
    }

    private func elements(_ value: Any, _ context: _PropertyContext) throws -> [Any] {
        if let array = value as? [Any] { return array }
        if let sequence = value as? any Sequence, !(value is String), Entries(value) == nil {
            func all<S: Sequence>(_ sequence: S) -> [Any] { sequence.map { $0 } }
            return all(sequence)
        }
        throw context.typeMismatch(value)
    }

    private func element(
        _ value: Any?, _ property: BoundProperty, _ context: _PropertyContext, over present: Value? = nil
    ) throws -> Value {
        let value = value.flatMap { $0 is NSNull ? nil : flattened($0) }
        if property.type.isLink {
            guard let value else { return .null }
            var current: ObjectKey?
            if case .link(let key)? = present { current = key }
            return try link(value, property, context, over: current)
        }
        if property.type.isMixed { return try mixed(value, context) }
        guard let stored = Conversion.plain(value, as: property.type) else {
            if value == nil {
                throw RealmException("Missing value for property '\(context.className).\(context.property)'")
            }
            throw context.typeMismatch(value)
        }
        return stored
    }

    private func mixed(_ value: Any?, _ context: _PropertyContext) throws -> Value {
        guard let value else { return .null }
        if persister.createsOnce, let copy = try copied(value, context) { return copy }
        if let mixed = value as? AnyRealmValue { return try mixed._stored(by: persister).value }
        if let object = value as? ObjectBase { return try persister.reference(to: object) }
        if let entries = Entries(value) {
            return .dictionary(ValueMap(try entries.pairs.map { ($0.key, try mixed($0.value, context)) }))
        }
        if let array = value as? [Any] { return .list(try array.map { try mixed($0, context) }) }
        if let list = value as? List<AnyRealmValue> { return try AnyRealmValue.list(list)._stored(by: persister).value }
        guard let stored = Conversion.natural(value) else { throw context.typeMismatch(value) }
        return stored
    }

    /// Returns a copy of an object in a mixed value, at any depth, which leaves the object itself unmanaged; nil for
    /// values that contain none.
    private func copied(_ value: Any, _ context: _PropertyContext) throws -> Value? {
        let mixed = value as? AnyRealmValue ?? (value as? Object).map { .object($0) }
        switch mixed {
        case .object(let object)?:
            let boundClass = try realm.bound(type(of: object))
            return .reference(ObjectReference(boundClass.id, try create(boundClass, from: object, isNested: true)))
        case .list(let list)?: return .list(try list.map { try self.mixed($0, context) })
        case .dictionary(let map)?:
            return .dictionary(
                ValueMap(try map.asKeyValueSequence().map { ($0.key, try self.mixed($0.value, context)) }))
        default: return nil
        }
    }

    private func link(
        _ value: Any, _ property: BoundProperty, _ context: _PropertyContext, over current: ObjectKey?
    ) throws -> Value {
        guard let target = property.targetClass else { throw context.typeMismatch(value) }
        let targetClass = try realm.bound(target)
        if let object = value as? ObjectBase {
            let name = object._class?.name ?? type(of: object).className()
            guard name == targetClass.name else { throw context.typeMismatch(value) }
            if object._realm === realm {
                try realm.check(object)
                // An embedded object of another owner is copied.
                if !targetClass.isEmbedded || object._objectKey == current || !copies {
                    return .link(object._objectKey)
                }
            } else if !targetClass.isEmbedded, let successor = try realm.successor(of: object) {
                return .link(successor.key)
            } else if !copies, !(targetClass.isEmbedded && realm.isSuccessor(of: object._realm)) {
                return try persister.link(to: object)
            }
        }
        if targetClass.isEmbedded { return try embedded(value, targetClass, over: current) }
        return .link(try create(targetClass, from: value, isNested: true, over: current))
    }
}

/// The identity of an object that is created from another one, whichever instance represents it.
enum SourceID: Hashable {
    case unmanaged(ObjectIdentifier)
    case stored(ObjectIdentifier, ObjectReference)

    init(_ object: ObjectBase) {
        if let realm = object._realm, let reference = object._objectReference {
            self = .stored(ObjectIdentifier(realm), reference)
        } else {
            self = .unmanaged(ObjectIdentifier(object))
        }
    }
}

/// A dictionary or map with values of any type.
struct Entries {
    var pairs: [(key: String, value: Any?)]

    init?(_ value: Any) {
        if let dictionary = value as? [String: Any] {
            pairs = dictionary.map { ($0.key, $0.value) }
        } else if let map = value as? any _MapEntries {
            pairs = map.mapEntries
        } else if let dictionary = value as? NSDictionary {
            pairs = dictionary.compactMap { key, value in (key as? String).map { ($0, value) } }
        } else {
            return nil
        }
    }
}

/// A map that provides its entries as plain values.
protocol _MapEntries {
    var mapEntries: [(key: String, value: Any?)] { get }
}

/// The values given for the properties of an object.
struct GivenValues {
    private var bySlot: [Int: Any?] = [:]

    /// Nil if no value is given; an inner nil is null.
    subscript(property: BoundProperty) -> Any?? { bySlot[property.slot] }
    var slots: [Int] { bySlot.keys.sorted() }
    subscript(slot slot: Int) -> Any? { bySlot[slot].flatMap { $0 } }

    init(_ source: Any, for boundClass: BoundClass) throws {
        try self.init(
            source, boundClass.name, boundClass.properties.map { ($0.name, $0.type.isComputed) })
    }

    init(_ source: Any, for model: ClassModel) throws {
        try self.init(source, model.name, model.properties.map { ($0.name, $0.type.isComputed) })
    }

    private init(_ source: Any, _ className: String, _ properties: [(name: String, isComputed: Bool)]) throws {
        guard let given = flattened(source), !(given is NSNull) else {
            throw RealmException("Must provide a non-nil value.")
        }
        // A custom type that is persisted as an embedded object.
        let source = QueryValue.persisted(given)
        let stored = properties.enumerated().filter { !$0.element.isComputed }
        if let object = source as? ObjectBase {
            for (slot, property) in stored {
                guard let own = object.slotIfKnown(of: property.name) else {
                    throw RealmException(
                        "Invalid value '\(source)' to initialize object of type '\(className)': missing key '\(property.name)'"
                    )
                }
                bySlot[slot] = .some(object.dynamicValue(own))
            }
        } else if let entries = Entries(source) {
            let slots = Dictionary(stored.map { ($0.element.name, $0.offset) }) { first, _ in first }
            for (key, value) in entries.pairs {
                // Unknown names are ignored, as Realm does.
                if let slot = slots[key] { bySlot[slot] = .some(value) }
            }
        } else if let array = source as? [Any] {
            if array.count == properties.count {
                // One value for each property of the schema; null for those that are not stored.
                for (slot, property) in properties.enumerated() {
                    if !property.isComputed {
                        bySlot[slot] = .some(array[slot])
                    } else if let value = flattened(array[slot]), !(value is NSNull) {
                        throw RealmException("Linking objects property '\(className).\(property.name)' is read-only.")
                    }
                }
                return
            }
            guard array.count <= stored.count else {
                throw RealmException(
                    "Invalid array input: more values (\(array.count)) than properties (\(stored.count)).")
            }
            for (entry, value) in zip(stored, array) { bySlot[entry.offset] = .some(value) }
        } else {
            throw RealmException("Invalid value '\(source)' to initialize object of type '\(className)'")
        }
    }
}

extension ObjectBase {
    /// Assigns values to an unmanaged object: see `Object.init(value:)`.
    final func fill(from source: Any) throws {
        let given = try GivenValues(source, for: model)
        for slot in given.slots { try setDynamicValue(slot, given[slot: slot]) }
    }
}

extension [Value] {
    /// The values in ascending order without duplicates, as sets are stored.
    var asSet: [Value] {
        var elements: [Value] = []
        for value in sorted(by: { Value.order($0, $1) < 0 }) {
            if let last = elements.last, Value.order(last, value) == 0 { continue }
            elements.append(value)
        }
        return elements
    }
}
