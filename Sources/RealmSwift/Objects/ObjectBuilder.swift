import Foundation
import ObjectModel
import StoreContract

/// Makes stored objects from values by name: dictionaries, arrays in the order of declaration, and other objects, nested
/// as deep as they come.
struct ObjectBuilder {
    let adopter: _Adopter
    private var realm: RLMRealm { adopter.realm }

    init(_ adopter: _Adopter) { self.adopter = adopter }

    /// The object that was created, or updated as the policy says.
    func create(_ boundClass: BoundClass, from source: Any) throws -> ObjectKey {
        guard !boundClass.isEmbedded else { throw RealmException("Embedded objects cannot be created directly") }
        try adopter.check(boundClass)
        if let object = source as? ObjectBase, object._realm === realm, object._class === boundClass,
            adopter.policy != .error
        {
            try realm.check(object)
            return object._key
        }
        let given = try GivenValues(source, for: boundClass)
        let transaction = try realm.writing()
        var values: [PropertyID: Value] = [:]
        if let primaryKey = boundClass.primaryKey, let value = given[primaryKey] {
            let stored = try self.value(value, for: primaryKey, boundClass)
            if let key = try transaction.key(of: boundClass.id, primaryKey: stored) {
                guard adopter.policy != .error else {
                    return try adopter.make(boundClass, [primaryKey.id: stored], transaction).0
                }
                for property in boundClass.properties where !property.isPrimaryKey && !property.type.isComputed {
                    guard let value = given[property] else { continue }
                    values[property.id] = try self.value(value, for: property, boundClass)
                }
                try transaction.set(boundClass.id, key, values, onlyDifferent: adopter.policy == .modified)
                return key
            }
        }
        return try adopter.make(boundClass, allValues(given, boundClass), transaction).0
    }

    /// A value for each property of a new object: what is given, else what the class declares.
    private func allValues(_ given: GivenValues, _ boundClass: BoundClass) throws -> [PropertyID: Value] {
        let sample = boundClass.model?.type.init()
        var values: [PropertyID: Value] = [:]
        for property in boundClass.properties where !property.type.isComputed {
            if let value = given[property] {
                values[property.id] = try self.value(value, for: property, boundClass)
            } else if let sample {
                let model = sample.model.properties[property.slot]
                values[property.id] = try model.wrapper.stored(at: sample.place(of: model), by: adopter)?.value
            }
        }
        return values
    }

    /// What is stored for a value that is given for a property; nil means null.
    func value(_ value: Any?, for property: BoundProperty, _ boundClass: BoundClass) throws -> Value {
        let place = _Place(className: boundClass.name, property: property.name, type: property.type)
        let value = value.flatMap { $0 is NSNull ? nil : flattened($0) }
        switch property.type.collection {
        case .single: return try element(value, property, place)
        case .list:
            guard let value else { return .list([]) }
            return .list(try elements(value, place).map { try element($0, property, place) })
        case .set:
            guard let value else { return .set([]) }
            return .set(try elements(value, place).map { try element($0, property, place) }.asSet)
        case .map:
            guard let value else { return .dictionary(ValueMap()) }
            guard let entries = Entries(value) else { throw place.misfit(value) }
            return .dictionary(ValueMap(try entries.pairs.map { ($0.key, try element($0.value, property, place)) }))
        }
    }

    private func elements(_ value: Any, _ place: _Place) throws -> [Any] {
        if let array = value as? [Any] { return array }
        if let sequence = value as? any Sequence, !(value is String), Entries(value) == nil {
            func all<S: Sequence>(_ sequence: S) -> [Any] { sequence.map { $0 } }
            return all(sequence)
        }
        throw place.misfit(value)
    }

    private func element(_ value: Any?, _ property: BoundProperty, _ place: _Place) throws -> Value {
        let value = value.flatMap { $0 is NSNull ? nil : flattened($0) }
        if property.type.isLink {
            guard let value else { return .null }
            return try link(value, property, place)
        }
        if property.type.isMixed { return try mixed(value, place) }
        guard let stored = Conversion.plain(value, as: property.type) else {
            if value == nil {
                throw RealmException("Missing value for property '\(place.className).\(place.property)'")
            }
            throw place.misfit(value)
        }
        return stored
    }

    private func mixed(_ value: Any?, _ place: _Place) throws -> Value {
        guard let value else { return .null }
        if let mixed = value as? AnyRealmValue { return try mixed._stored(by: adopter).value }
        if let object = value as? ObjectBase { return try adopter.reference(to: object) }
        if let entries = Entries(value) {
            return .dictionary(ValueMap(try entries.pairs.map { ($0.key, try mixed($0.value, place)) }))
        }
        if let array = value as? [Any] { return .list(try array.map { try mixed($0, place) }) }
        if let list = value as? List<AnyRealmValue> { return try AnyRealmValue.list(list)._stored(by: adopter).value }
        guard let stored = Conversion.natural(value) else { throw place.misfit(value) }
        return stored
    }

    private func link(_ value: Any, _ property: BoundProperty, _ place: _Place) throws -> Value {
        guard let target = property.targetClass else { throw place.misfit(value) }
        let targetClass = try realm.bound(target)
        if targetClass.isEmbedded { return .embedded(try allValues(GivenValues(value, for: targetClass), targetClass)) }
        if let object = value as? ObjectBase, object._realm === realm, let reference = object._reference {
            guard reference.classID == target else { throw place.misfit(value) }
            try realm.check(object)
            return .link(reference.key)
        }
        // Without a primary key a linked value is an object of its own each time.
        let policy = targetClass.primaryKey == nil ? StoreContract.UpdatePolicy.error : adopter.policy
        let builder = policy == adopter.policy ? self : ObjectBuilder(_Adopter(realm, policy))
        return .link(try builder.create(targetClass, from: value))
    }
}

/// A dictionary or map of any values.
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

/// A map that can tell its entries.
protocol _MapEntries {
    var mapEntries: [(key: String, value: Any?)] { get }
}

/// What is given for the properties of an object.
struct GivenValues {
    private var bySlot: [Int: Any?] = [:]

    /// A value that is not there is not given; one that is nil is null.
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
        guard let source = flattened(source), !(source is NSNull) else {
            throw RealmException("Must provide a non-nil value.")
        }
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
    /// Fills an unmanaged object: see `Object.init(value:)`.
    final func fill(from source: Any) throws {
        let given = try GivenValues(source, for: model)
        for slot in given.slots { try setDynamicValue(slot, given[slot: slot]) }
    }
}

extension [Value] {
    /// Ascending and without repetition, as sets are stored.
    var asSet: [Value] {
        var elements: [Value] = []
        for value in sorted(by: { Value.order($0, $1) < 0 }) {
            if let last = elements.last, Value.order(last, value) == 0 { continue }
            elements.append(value)
        }
        return elements
    }
}
