import ObjectModel
import QueryLanguage
import StoreContract

/// One piece of work on a model store: changes a copy of the state, which the writer keeps or drops. Every call
/// performs all checks first and changes something only when nothing can fail any more.
class ModelTransaction: WriteTransaction {
    var state: ModelState
    var changes: [ClassID: ClassChanges] = [:]
    let before: Mark

    init(_ base: ModelState) {
        before = Mark(base.version, base.tag)
        state = base
        state.version = base.version.next
    }

    var schema: Schema { state.schema }

    /// The schema of links to objects, and of properties that own embedded ones.
    var linkSchema: Schema { state.schema }

    /// Whether primary keys may be duplicates, and be assigned.
    var keysAreFree: Bool { false }

    var version: Version { state.version }
    var tag: HistoryTag { state.tag }

    var changeSet: ChangeSet { ChangeSet(version: version, classes: changes.filter { !$0.value.isEmpty }) }

    func create(_ classID: ClassID, _ values: [PropertyID: Value]) throws -> ObjectKey {
        let objectClass = try state.objectClass(classID)
        guard !objectClass.isEmbedded else {
            throw StoreError(
                .embeddedWithoutOwner,
                "Embedded objects cannot be created directly: assign a new \(objectClass.name) to the property that is to own it."
            )
        }
        try check(values, for: objectClass, holding: [:])
        if let primaryKey = objectClass.primaryKeyProperty {
            guard let value = values[primaryKey.id] ?? (primaryKey.type.isOptional ? .null : nil) else {
                throw StoreError(
                    .missingValue, "Give a value for the primary key '\(objectClass.name).\(primaryKey.name)'.",
                    property: primaryKey.name)
            }
            if !keysAreFree, try state.key(of: classID, primaryKey: value) != nil {
                throw StoreError(
                    .duplicateKey, "Class '\(objectClass.name)' has an object with this primary key already.",
                    property: primaryKey.name)
            }
        }
        return insert(objectClass, values)
    }

    func set(_ classID: ClassID, _ key: ObjectKey, _ values: [PropertyID: Value]) throws {
        let objectClass = try state.objectClass(classID)
        let row = try state.row(classID, key)
        try check(values, for: objectClass, holding: row)
        if let primaryKey = objectClass.primaryKeyProperty, let value = values[primaryKey.id],
            value != row[primaryKey.id], !keysAreFree
        {
            throw StoreError(
                .keyImmutable,
                "The primary key '\(objectClass.name).\(primaryKey.name)' of an object cannot be changed.",
                property: primaryKey.name)
        }
        for property in objectClass.storedProperties.sorted(by: { $0.id < $1.id }) {
            guard let given = values[property.id] else { continue }
            let before = row[property.id] ?? property.type.zeroValue
            let after = stored(given, in: property)
            assign(after, classID, key, property)
            if let edit = CollectionEdit(replacing: before, with: after, in: property.type) {
                recordEdit(classID, key, property.id, edit)
            }
        }
    }

    func delete(_ classID: ClassID, _ key: ObjectKey) throws {
        _ = try state.row(classID, key)
        remove([ObjectReference(classID, key)])
    }

    func sideRecord(_ key: [UInt8], at time: Timestamp) throws -> [UInt8]? {
        state.records[key].flatMap { $0.expiry.seconds > time.seconds ? $0.bytes : nil }
    }

    func keep(_ record: [UInt8], under key: [UInt8], until expiry: Timestamp, at time: Timestamp) throws {
        try StoreError.check(recordKey: key)
        state.records = state.records.filter { $0.value.expiry.seconds >= time.seconds }
        state.records[key] = (record, expiry)
    }

    func elementCount(_ classID: ClassID, _ key: ObjectKey, _ property: PropertyID) throws -> Int {
        try state.elements(classID, key, property).count
    }

    func elements(
        _ classID: ClassID, _ key: ObjectKey, _ property: PropertyID, _ range: Range<Int>
    ) throws -> [Value] { try state.elements(classID, key, property, range) }

    func backlinks(to target: ObjectReference, from origin: ClassID, _ property: PropertyID) throws -> [ObjectKey] {
        _ = try state.storedProperty(property, of: try state.objectClass(origin))
        return try IncomingLinkTable().origins(to: target.key, of: target.classID, from: origin, property, in: state)
    }

    func count(of classID: ClassID) -> Int {
        state.schema[classID] == nil ? 0 : state.keys(of: classID).count
    }

    func exists(_ classID: ClassID, _ key: ObjectKey) throws -> Bool { try state.exists(classID, key) }

    func key(of classID: ClassID, primaryKey: Value) throws -> ObjectKey? {
        try state.key(of: classID, primaryKey: primaryKey)
    }

    func value(_ classID: ClassID, _ key: ObjectKey, _ property: PropertyID) throws -> Value {
        try state.value(classID, key, property)
    }

    func select(_ query: BoundQuery, _ window: Window) throws -> [ObjectKey] {
        _ = try state.objectClass(query.classID)
        return try ReferenceEvaluator(state).select(query, window)
    }

    func matches(_ query: BoundQuery, _ key: ObjectKey) throws -> Bool {
        try ReferenceEvaluator(state).matches(query, key)
    }

    func count(_ query: BoundQuery) throws -> Int {
        _ = try state.objectClass(query.classID)
        return try ReferenceEvaluator(state).count(query)
    }

    func aggregate(_ query: BoundQuery, _ requests: [AggregateRequest]) throws -> [Value] {
        _ = try state.objectClass(query.classID)
        return try ReferenceEvaluator(state).aggregate(query, requests)
    }

    func sections(_ query: BoundQuery, by key: SectionKey) throws -> SectionedKeys {
        _ = try state.objectClass(query.classID)
        return try ReferenceEvaluator(state).sections(query, by: key)
    }

    // MARK: Checks

    var rules: ValueRules {
        let state = state
        return ValueRules(state.schema) { try state.exists($0.classID, $0.key) }
    }

    /// All checks of assigned values, before anything is changed. `row` is the object's present row, whose embedded
    /// objects may stay.
    private func check(
        _ values: [PropertyID: Value], for objectClass: ClassSchema, holding row: [PropertyID: Value]
    ) throws {
        let rules = rules
        for (id, value) in values {
            let held = row[id]?.linkedKeys ?? []
            try rules.check(
                value, for: try state.storedProperty(id, of: objectClass), of: objectClass,
                owned: { held.contains($0) })
        }
    }

    // MARK: Changing the state, after all checks

    /// Inserts an object and the embedded objects that it owns. Keys are assigned from the outside in, properties in
    /// the order of their declaration, elements in the order given.
    func insert(_ objectClass: ClassSchema, _ values: [PropertyID: Value]) -> ObjectKey {
        let key = ObjectKey(state.tables[objectClass.id]?.nextKey ?? 0)
        state.tables[objectClass.id, default: ModelState.Table()].nextKey += 1
        var row: [PropertyID: Value] = [:]
        for property in objectClass.storedProperties {
            row[property.id] = stored(values[property.id] ?? property.initialValue, in: property)
        }
        state.tables[objectClass.id]?.keys.append(key)
        state.tables[objectClass.id]?.rows[key] = row
        if let primaryKey = objectClass.primaryKeyProperty, let value = row[primaryKey.id] {
            state.tables[objectClass.id]?.created?[value] = key
        }
        changes[objectClass.id, default: ClassChanges()].recordInsertion(key)
        return key
    }

    /// A value as it is stored: embedded objects created, sets in order without duplicates.
    func stored(_ value: Value, in property: PropertySchema) -> Value {
        func element(_ value: Value) -> Value {
            guard case .embedded(let values) = value, let target = property.targetClass.flatMap({ state.schema[$0] })
            else {
                return value
            }
            return .link(insert(target, values))
        }
        switch (property.type.collection, value) {
        case (.single, _): return element(value)
        case (.list, .list(let elements)): return .list(elements.map(element))
        case (.map, .dictionary(let map)): return .dictionary(map.mapValues(element))
        case (.set, .set): return ValueRules.normalised(value)
        default: return value
        }
    }

    /// Assigns a value that `stored` returned. Embedded objects in the old value only are deleted.
    func assign(_ value: Value, _ classID: ClassID, _ key: ObjectKey, _ property: PropertySchema) {
        let before = state.tables[classID]?.rows[key]?[property.id] ?? .null
        state.tables[classID]?.rows[key]?[property.id] = value
        changes[classID, default: ClassChanges()].recordModification(key, property.id)
        if property.ownsTarget, let target = property.targetClass {
            remove(Set(before.linkedKeys).subtracting(value.linkedKeys).map { ObjectReference(target, $0) })
        }
    }

    func recordEdit(_ classID: ClassID, _ key: ObjectKey, _ property: PropertyID, _ edit: CollectionEdit) {
        changes[classID, default: ClassChanges()].recordEdit(key, property, edit)
    }
}
