package import ObjectModel
package import StoreContract
import TestBasics

extension StoreConformance {
    /// Opens the files that the maker's store has left on disk again; that store is closed and released by then.
    package typealias Reopener = () throws -> any Store

    /// Every type, required and optional, single and in every collection: given at creation, assigned, edited, read one
    /// by one, by position and through a sink, from the store, from the transaction and after reopening.
    package static func everyType(
        _ make: (Schema) throws -> any Store, seed: UInt64 = 17, reopen: Reopener? = nil
    ) throws {
        try seeded(seed) { random in
            let schema = EveryType.schema
            try requireEqual(schema.faults(), [], "faults of the schema of every type")
            var rows: [ObjectKey: [PropertyID: Value]] = [:]
            try with(make, schema) { store in
                try store.write { transaction in
                    for _ in 0..<3 { _ = try transaction.create(EveryType.target, [:]) }
                }
                for round in 0..<12 {
                    let given = EveryType.row(&random, leavingOut: round == 0 ? 1 : 5)
                    let key = try store.write { transaction in
                        guard round % 2 == 1 else { return try transaction.create(EveryType.every, given) }
                        return try transaction.create(
                            EveryType.every, row: EveryType.properties.map { given[$0.id] ?? $0.initialValue })
                    }
                    rows[key] = EveryType.stored(given)
                }
                try check(rows, store)
                for key in rows.keys.sorted() {
                    let given = EveryType.row(&random, leavingOut: 2)
                    try store.write { try $0.set(EveryType.every, key, given) }
                    for (id, value) in given { rows[key]?[id] = ValueRules.normalised(value) }
                }
                for property in EveryType.properties where property.type.isCollection {
                    for key in rows.keys.sorted().prefix(4) {
                        try edit(property, of: key, in: store, &rows, &random)
                    }
                }
                try check(rows, store)
            }
            if let reopen { try with({ _ in try reopen() }, schema) { try check(rows, $0) } }
        }
    }

    /// One edit of each kind that the collection supports, mirrored in `rows`.
    private static func edit(
        _ property: PropertySchema, of key: ObjectKey, in store: any Store,
        _ rows: inout [ObjectKey: [PropertyID: Value]], _ random: inout SeededRandom
    ) throws {
        let value = EveryType.element(property.type, &random)
        let other = EveryType.element(property.type, &random)
        let id = property.id
        func run(_ operation: CollectionOperation) throws {
            try store.write { _ = try $0.edit(EveryType.every, key, id, operation) }
        }
        switch rows[key]?[id] {
        case .list(var elements)?:
            try run(.append(value))
            try run(.insert(other, at: 0))
            try run(.replace(other, at: elements.count))
            try run(.move(from: 0, to: elements.count))
            elements = [other] + elements + [value]
            elements[elements.count - 2] = other
            elements.insert(elements.remove(at: 0), at: elements.count - 1)
            if elements.count > 2 {
                try run(.remove(at: 1))
                elements.remove(at: 1)
            }
            rows[key]?[id] = .list(elements)
        case .set(let elements)?:
            try run(.add(value))
            try run(.add(other))
            if let first = elements.first { try run(.removeElement(first)) }
            rows[key]?[id] = ValueRules.normalised(
                .set((elements + [value, other]).filter { elements.isEmpty || Value.order($0, elements[0]) != 0 }))
        case .dictionary(var map)?:
            try run(.put(value, key: "a"))
            try run(.put(other, key: "new"))
            try run(.removeKey("b"))
            map["a"] = value
            map["new"] = other
            map["b"] = nil
            rows[key]?[id] = .dictionary(map)
        default: throw ConformanceFailure("'\(property.name)' of \(key.rawValue) is not a collection")
        }
    }

    private static func check(_ rows: [ObjectKey: [PropertyID: Value]], _ store: any Store) throws {
        let snapshot = try store.snapshot()
        let keys = rows.keys.sorted()
        let properties = EveryType.properties
        var sink = ValueSink()
        try snapshot.read(EveryType.every, keys, properties.map(\.id), into: &sink)
        try requireEqual(sink.rows.map(\.key), keys, "keys of the rows")
        for (row, key) in zip(sink.rows, keys) {
            try requireEqual(row.values.count, properties.count, "columns of row \(key.rawValue)")
            for (index, property) in properties.enumerated() {
                let expected = rows[key]?[property.id] ?? .null
                let name = "'\(property.name)' of \(key.rawValue)"
                try requireEqual(try snapshot.value(EveryType.every, key, property.id), expected, name)
                try requireEqual(row.values[index], expected, "\(name) through a sink")
                guard property.type.isCollection else {
                    try requireError(.notACollection, "the count of \(name)") {
                        _ = try snapshot.elementCount(EveryType.every, key, property.id)
                    }
                    continue
                }
                let elements = expected.elements
                try requireEqual(
                    try snapshot.elementCount(EveryType.every, key, property.id), elements.count, "count of \(name)")
                for start in [0, elements.count / 2, elements.count] {
                    try requireEqual(
                        try snapshot.elements(EveryType.every, key, property.id, start..<start + 2),
                        Array(elements.dropFirst(start).prefix(2)), "elements of \(name) from \(start)")
                }
            }
        }
        try store.write { transaction in
            for key in keys {
                for property in properties {
                    let expected = rows[key]?[property.id] ?? .null
                    let name = "'\(property.name)' of \(key.rawValue) in a transaction"
                    try requireEqual(try transaction.value(EveryType.every, key, property.id), expected, name)
                    guard property.type.isCollection else { continue }
                    try requireEqual(
                        try transaction.elements(EveryType.every, key, property.id, 0..<Int.max), expected.elements,
                        name)
                    try requireEqual(
                        try transaction.elementCount(EveryType.every, key, property.id), expected.elements.count, name)
                }
            }
        }
    }

    /// A value of another type is rejected in every place, and so is null where it is not allowed.
    package static func wrongTypes(_ make: (Schema) throws -> any Store) throws {
        try with(make, EveryType.schema) { store in
            try store.write { _ = try $0.create(EveryType.target, [:]) }
            let key = try store.write { try $0.create(EveryType.every, [:]) }
            for property in EveryType.properties {
                let type = property.type
                let wrong: Value =
                    type.isMixed
                    ? .link(ObjectKey(0)) : type.base == .bool ? .int(1) : type.base == .int ? .double(1) : .bool(true)
                var refused: [Value] = type.isCollection ? [wrong, .null, collection(type, of: [wrong])] : [wrong]
                if !type.acceptsNull { refused.append(type.isCollection ? collection(type, of: [.null]) : .null) }
                if type.isLink { refused.append(collection(type, of: [.link(ObjectKey(9))])) }
                if type.isMixed {
                    refused.append(collection(type, of: [.link(ObjectKey(0))]))
                    refused.append(collection(type, of: [.reference(ObjectReference(EveryType.target, ObjectKey(9)))]))
                    refused.append(
                        collection(type, of: [.list([.reference(ObjectReference(ClassID(99), ObjectKey(0)))])]))
                }
                for value in refused {
                    try requireError(.invalidValue, "\(value) for '\(property.name)'") {
                        try store.write { try $0.set(EveryType.every, key, [property.id: value]) }
                    }
                }
                guard type.isCollection else {
                    try requireError(.notACollection, "an edit of '\(property.name)'") {
                        try store.write { _ = try $0.edit(EveryType.every, key, property.id, .removeAll) }
                    }
                    continue
                }
                let operations: [CollectionOperation] =
                    switch type.collection {
                    case .list: [.append(wrong), .insert(wrong, at: 0)]
                    case .set: [.add(wrong)]
                    default: [.put(wrong, key: "k")]
                    }
                for operation in operations {
                    try requireError(.invalidValue, "\(operation) for '\(property.name)'") {
                        try store.write { _ = try $0.edit(EveryType.every, key, property.id, operation) }
                    }
                }
                let foreign: [CollectionOperation] =
                    switch type.collection {
                    case .list: [.add(.null), .removeElement(.null), .put(.null, key: "k"), .removeKey("k")]
                    case .set: [.append(.null), .remove(at: 0), .move(from: 0, to: 0), .removeKey("k")]
                    default: [.append(.null), .insert(.null, at: 0), .replace(.null, at: 0), .add(.null)]
                    }
                for operation in foreign {
                    try requireError(.notACollection, "\(operation) of '\(property.name)'") {
                        try store.write { _ = try $0.edit(EveryType.every, key, property.id, operation) }
                    }
                }
            }
            for row in [[], [Value.null], EveryType.properties.map(\.initialValue) + [.null]] {
                try requireError(.invalidValue, "a row of \(row.count) values") {
                    try store.write { _ = try $0.create(EveryType.every, row: row) }
                }
            }
            let snapshot = try store.snapshot()
            for property in EveryType.properties {
                try requireEqual(
                    try snapshot.value(EveryType.every, key, property.id), property.type.zeroValue,
                    "'\(property.name)' after refusals")
            }
        }
    }

    /// The elements as a value of the type.
    private static func collection(_ type: PropertyType, of elements: [Value]) -> Value {
        switch type.collection {
        case .single: elements.first ?? .null
        case .list: .list(elements)
        case .set: .set(elements)
        case .map: .dictionary(ValueMap(elements.map { ("k", $0) }))
        }
    }
}

/// A class with a property of each type except embedded objects, and a class that it links to.
enum EveryType {
    static let every = ClassID(1)
    static let target = ClassID(2)

    static let schema: Schema = {
        let scalars: [BaseType] = [
            .bool, .int, .float, .double, .string, .data, .date, .decimal128, .objectId, .uuid,
        ]
        var types: [PropertyType] = []
        for collection in [CollectionKind.single, .list, .set, .map] {
            for base in scalars {
                for isOptional in [false, true] {
                    types.append(PropertyType(base, isOptional: isOptional, collection: collection))
                }
            }
            types.append(PropertyType(.mixed, collection: collection))
            types.append(
                PropertyType(
                    .link("Target"), isOptional: collection == .single || collection == .map, collection: collection))
        }
        return Schema(
            version: 1,
            classes: [
                ClassSchema("Every", properties: types.map { PropertySchema("of \($0)", $0) }),
                ClassSchema(
                    "Target",
                    properties: [
                        PropertySchema("number", PropertyType(.int)),
                        PropertySchema(
                            "listed", PropertyType(.linkingObjects(fromClass: "Every", property: "of Target[]"))),
                    ]),
            ])
    }()

    static let properties = schema[every]?.properties ?? []

    /// Values for most properties.
    static func row(_ random: inout SeededRandom, leavingOut: Int) -> [PropertyID: Value] {
        var row: [PropertyID: Value] = [:]
        for property in properties where !(leavingOut > 1 && random.oneIn(leavingOut)) {
            let type = property.type
            if !type.isLink {
                row[property.id] = RandomValues.value(of: type, &random)
                continue
            }
            let elements = (0..<random.below(6)).map { _ in element(type, &random) }
            switch type.collection {
            case .single: row[property.id] = element(type, &random)
            case .list: row[property.id] = .list(elements)
            case .set: row[property.id] = .set(elements)
            case .map: row[property.id] = .dictionary(ValueMap(elements.map { (RandomValues.mapKey(&random), $0) }))
            }
        }
        return row
    }

    static func element(_ type: PropertyType, _ random: inout SeededRandom) -> Value {
        if type.isLink {
            return type.acceptsNull && random.oneIn(4) ? .null : .link(ObjectKey(Int64(random.below(3))))
        }
        if type.isMixed, random.oneIn(4) { return .reference(ObjectReference(target, ObjectKey(1))) }
        return type.isMixed && type.collection == .set
            ? RandomValues.mixed(&random, depth: .max) : RandomValues.value(of: type.element, &random)
    }

    /// The stored values of a new object.
    static func stored(_ given: [PropertyID: Value]) -> [PropertyID: Value] {
        Dictionary(
            properties.map { ($0.id, ValueRules.normalised(given[$0.id] ?? $0.initialValue)) },
            uniquingKeysWith: { first, _ in first })
    }
}
