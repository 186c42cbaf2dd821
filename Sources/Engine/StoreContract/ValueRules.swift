package import ObjectModel

/// The checks that every store makes of a value before it accepts it.
///
/// A check changes nothing, so a write whose value does not fit changes nothing. Messages are Realm's where Realm has
/// one.
package struct ValueRules {
    package static let maximumStringBytes = 16_777_199
    package static let maximumDataBytes = 16_777_200
    /// Levels of lists and dictionaries in a mixed value.
    package static let maximumDepth = 100

    private let schema: Schema
    /// Whether an object exists in the transaction.
    private let exists: (ObjectReference) throws -> Bool

    package init(_ schema: Schema, exists: @escaping (ObjectReference) throws -> Bool) {
        self.schema = schema
        self.exists = exists
    }

    /// Checks a value for a property as a whole. `owned` returns whether an embedded object is already in this very
    /// property: it may then be assigned again. Throws `invalidValue`, `valueTooLarge`, `invalidMapKey`, `tooDeep`,
    /// `embeddedOwned`, and for the properties of a new embedded object also `unknownProperty`.
    package func check(
        _ value: Value, for property: PropertySchema, of objectClass: ClassSchema,
        owned: (ObjectKey) throws -> Bool = { _ in false }
    ) throws {
        switch (property.type.collection, value) {
        case (.list, .list(let elements)), (.set, .set(let elements)):
            for element in elements { try checkElement(element, for: property, of: objectClass, owned: owned) }
            if property.ownsTarget { try checkDistinct(elements, property, objectClass) }
        case (.map, .dictionary(let map)):
            for entry in map.entries {
                try check(mapKey: entry.key, property, objectClass)
                try checkElement(entry.value, for: property, of: objectClass, owned: owned)
            }
            if property.ownsTarget { try checkDistinct(map.entries.map(\.value), property, objectClass) }
        case (.single, _): try checkElement(value, for: property, of: objectClass, owned: owned)
        default: throw invalid(value, property, objectClass)
        }
    }

    /// Checks one element of a collection, or a single value. Throws as `check`.
    package func checkElement(
        _ value: Value, for property: PropertySchema, of objectClass: ClassSchema,
        owned: (ObjectKey) throws -> Bool = { _ in false }
    ) throws {
        guard property.type.acceptsElement(value) else {
            if value.isNull, property.type.collection == .single {
                throw StoreError(
                    .invalidValue,
                    "Invalid value 'nil' of type 'null' for '\(property.type)' property '\(objectClass.name).\(property.name)'. Give a value, or declare it optional.",
                    property: property.name)
            }
            throw invalid(value, property, objectClass)
        }
        switch value {
        case .link(let key):
            guard let target = property.targetClass, try exists(ObjectReference(target, key)) else {
                throw missingTarget(property, objectClass)
            }
            if property.ownsTarget, try !owned(key) {
                throw StoreError(
                    .embeddedOwned,
                    "Can't set link to existing managed embedded object: property '\(objectClass.name).\(property.name)' accepts only a new one, given by its properties.",
                    property: property.name)
            }
        case .embedded(let values):
            guard property.ownsTarget, let target = property.targetClass.flatMap({ schema[$0] }) else {
                throw invalid(value, property, objectClass)
            }
            for (id, value) in values {
                guard let inner = target[id], !inner.type.isComputed else {
                    throw StoreError(
                        .unknownProperty,
                        "Class '\(target.name)' has no stored property with number \(id.rawValue). Look the property up again."
                    )
                }
                try check(value, for: inner, of: target)
            }
        default:
            try checkSize(value, depth: 0, property, objectClass)
        }
    }

    /// Throws `invalidMapKey`.
    package func check(mapKey key: String, _ property: PropertySchema, _ objectClass: ClassSchema) throws {
        let path = "'\(objectClass.name).\(property.name)'"
        if key.utf8.first == UInt8(ascii: "$") {
            throw StoreError(
                .invalidMapKey, "Map property \(path): key must not start with '$', as '\(Self.cut(key))' does.",
                property: property.name)
        }
        if key.utf8.contains(UInt8(ascii: ".")) {
            throw StoreError(
                .invalidMapKey, "Map property \(path): key must not contain '.', as '\(Self.cut(key))' does.",
                property: property.name)
        }
        try checkSize(.string(key), depth: 0, property, objectClass)
    }

    /// A set's elements in order, without duplicates; other values unchanged.
    package static func normalised(_ value: Value) -> Value {
        guard case .set(let elements) = value else { return value }
        guard !Value.isSet(elements) else { return value }
        // Indices take a third of the memory of elements.
        let indices = elements.indices.sorted { a, b in
            let order = Value.order(elements[a], elements[b])
            return order != 0 ? order < 0 : a < b
        }
        var unique: [Value] = []
        unique.reserveCapacity(indices.count)
        for index in indices {
            if let last = unique.last, Value.order(last, elements[index]) == 0 { continue }
            unique.append(elements[index])
        }
        return .set(unique)
    }

    private func checkSize(
        _ value: Value, depth: Int, _ property: PropertySchema, _ objectClass: ClassSchema
    ) throws {
        func tooLarge(_ what: String, _ limit: Int) -> StoreError {
            StoreError(
                .valueTooLarge,
                "\(what) too big: property '\(objectClass.name).\(property.name)' holds at most \(limit) bytes.",
                property: property.name)
        }
        switch value {
        case .string(let text) where text.utf8.count > Self.maximumStringBytes:
            throw tooLarge("String", Self.maximumStringBytes)
        case .data(let bytes) where bytes.count > Self.maximumDataBytes:
            throw tooLarge("Binary", Self.maximumDataBytes)
        case .reference(let target):
            guard schema[target.classID]?.isEmbedded == false, try exists(target) else {
                throw missingTarget(property, objectClass)
            }
        case .list(let elements):
            try checkDepth(depth, property, objectClass)
            for element in elements { try checkSize(element, depth: depth + 1, property, objectClass) }
        case .dictionary(let map):
            try checkDepth(depth, property, objectClass)
            for entry in map.entries {
                try check(mapKey: entry.key, property, objectClass)
                try checkSize(entry.value, depth: depth + 1, property, objectClass)
            }
        default: break
        }
    }

    private func checkDepth(_ depth: Int, _ property: PropertySchema, _ objectClass: ClassSchema) throws {
        guard depth < Self.maximumDepth else {
            throw StoreError(
                .tooDeep,
                "Property '\(objectClass.name).\(property.name)': lists and dictionaries in a mixed value may be nested \(Self.maximumDepth) levels deep.",
                property: property.name)
        }
    }

    /// Throws when an embedded object occurs twice: it can only have one owner.
    private func checkDistinct(_ elements: [Value], _ property: PropertySchema, _ objectClass: ClassSchema) throws {
        var seen: Set<ObjectKey> = []
        for case .link(let key) in elements where !seen.insert(key).inserted {
            throw StoreError(
                .embeddedOwned,
                "Can't set link to existing managed embedded object: '\(objectClass.name).\(property.name)' would hold object \(key.rawValue) twice.",
                property: property.name)
        }
    }

    private func missingTarget(_ property: PropertySchema, _ objectClass: ClassSchema) -> StoreError {
        StoreError(
            .invalidValue,
            "Property '\(objectClass.name).\(property.name)' cannot link to an object that does not exist.",
            property: property.name)
    }

    private func invalid(_ value: Value, _ property: PropertySchema, _ objectClass: ClassSchema) -> StoreError {
        StoreError(
            .invalidValue,
            "Invalid value of type '\(value.typeName)' for '\(property.type)' property '\(objectClass.name).\(property.name)'.",
            property: property.name)
    }

    private static func cut(_ text: String) -> String { text.shortened() }
}

extension String {
    /// The first 80 code points, for a message. One character may have any number of them.
    package func shortened() -> String {
        let scalars = unicodeScalars
        guard let end = scalars.index(scalars.startIndex, offsetBy: 80, limitedBy: scalars.endIndex),
            end < scalars.endIndex
        else { return self }
        return String(scalars[..<end]) + "…"
    }
}
