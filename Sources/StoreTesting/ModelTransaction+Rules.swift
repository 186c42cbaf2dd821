import ObjectModel
import StoreContract

extension ModelTransaction {
    /// Everything that can be wrong with assigned values, before anything is changed. `row` is what the object
    /// holds now, whose embedded objects may stay where they are.
    func check(_ values: [PropertyID: Value], for objectClass: ClassSchema, holding row: [PropertyID: Value]) throws {
        for (id, value) in values {
            guard let property = objectClass[id] else {
                throw StoreError(
                    .unknownProperty, "Class '\(objectClass.name)' has no property number \(id.rawValue).")
            }
            guard !property.type.isComputed, property.type.accepts(value) else {
                throw misfit(value, property, objectClass)
            }
            if case .dictionary(let map) = value, property.type.collection == .map {
                for entry in map.entries { try checkMapKey(entry.key, property, objectClass) }
            }
            let elements = property.type.isCollection ? value.elements : [value]
            for element in elements { try checkElement(element, property, objectClass) }
            try checkOwners(elements, property, objectClass, held: row[id]?.linkedKeys ?? [])
        }
    }

    /// One value, or one element of a collection, of the right type.
    func checkElement(_ value: Value, _ property: PropertySchema, _ objectClass: ClassSchema) throws {
        switch value {
        case .embedded(let values):
            guard property.ownsTarget, let target = property.targetClass.flatMap({ schema[$0] }) else {
                throw misfit(value, property, objectClass)
            }
            try check(values, for: target, holding: [:])
        case .link(let key):
            guard let target = property.targetClass, try state.exists(target, key) else {
                throw missing(key, property, objectClass)
            }
        default:
            try checkMixed(value, depth: 0, property, objectClass)
        }
    }

    /// Objects that the property is to own are new, or its own already, and there once.
    func checkOwners(
        _ elements: [Value], _ property: PropertySchema, _ objectClass: ClassSchema, held: [ObjectKey]
    ) throws {
        guard property.ownsTarget else { return }
        var free = Set(held)
        for case .link(let key) in elements where free.remove(key) == nil {
            throw StoreError(
                .embeddedOwned,
                "'\(objectClass.name).\(property.name)' cannot take embedded object \(key.rawValue), which has an owner. Give the properties of a new one.",
                property: property.name)
        }
    }

    func checkMapKey(_ key: String, _ property: PropertySchema, _ objectClass: ClassSchema) throws {
        let fault =
            key.utf8.starts(with: "$".utf8)
            ? "key must not start with '$'" : key.utf8.contains(UInt8(ascii: ".")) ? "key must not contain '.'" : nil
        if let fault {
            throw StoreError(
                .invalidMapKey, "Map '\(objectClass.name).\(property.name)': \(fault).", property: property.name)
        }
    }

    func misfit(_ value: Value, _ property: PropertySchema, _ objectClass: ClassSchema) -> StoreError {
        StoreError(
            .invalidValue,
            "Property '\(objectClass.name).\(property.name)' of type '\(property.type)' does not take a value of type '\(value.typeName)'.",
            property: property.name)
    }

    /// Limits, and links in mixed values. `depth` is the number of collections around the value.
    private func checkMixed(
        _ value: Value, depth: Int, _ property: PropertySchema, _ objectClass: ClassSchema
    ) throws {
        switch value {
        case .string(let text) where text.utf8.count > ModelLimits.stringBytes:
            throw tooLarge("String too big", property, objectClass)
        case .data(let bytes) where bytes.count > ModelLimits.dataBytes:
            throw tooLarge("Binary too big", property, objectClass)
        case .reference(let target):
            guard let targetClass = schema[target.classID], !targetClass.isEmbedded,
                try state.exists(target.classID, target.key)
            else { throw missing(target.key, property, objectClass) }
        case .list, .dictionary:
            guard depth < ModelLimits.mixedDepth else {
                throw StoreError(
                    .tooDeep,
                    "'\(objectClass.name).\(property.name)' cannot hold collections nested more than \(ModelLimits.mixedDepth) deep.",
                    property: property.name)
            }
            if case .dictionary(let map) = value {
                for entry in map.entries { try checkMapKey(entry.key, property, objectClass) }
            }
            for element in value.elements { try checkMixed(element, depth: depth + 1, property, objectClass) }
        default: break
        }
    }

    private func missing(_ key: ObjectKey, _ property: PropertySchema, _ objectClass: ClassSchema) -> StoreError {
        StoreError(
            .invalidValue,
            "Property '\(objectClass.name).\(property.name)' cannot link to object \(key.rawValue), which does not exist.",
            property: property.name)
    }

    private func tooLarge(_ fault: String, _ property: PropertySchema, _ objectClass: ClassSchema) -> StoreError {
        StoreError(.valueTooLarge, "\(fault): '\(objectClass.name).\(property.name)'.", property: property.name)
    }
}

/// The limits of data-model.md §1.
enum ModelLimits {
    static let stringBytes = 16_777_199
    static let dataBytes = 16_777_200
    /// Lists and dictionaries within one another in one mixed value.
    static let mixedDepth = 100
}
