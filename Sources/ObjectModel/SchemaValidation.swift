extension Schema {
    /// Every fault of the schema, as sentences; empty when a store can open it. The rules and most sentences
    /// are those of data-model.md §7, so that users of Realm meet words they know.
    package func faults() -> [String] {
        var faults: [String] = []
        var seen: Set<String> = []
        for objectClass in classes {
            if !seen.insert(objectClass.name).inserted {
                faults.append("Class '\(objectClass.name)' appears more than once.")
            }
            faults += self.faults(of: objectClass)
        }
        return faults
    }

    private func faults(of objectClass: ClassSchema) -> [String] {
        let name = objectClass.name
        var faults: [String] = []
        if !PropertyType.isName(name) {
            faults.append(
                "'\(name)' cannot name a class: use letters, digits and underscores, not starting with a digit.")
        }
        if name.utf8.count > 57 { faults.append("Class name '\(name)' is longer than 57 bytes.") }
        if objectClass.isEmbedded {
            faults.append("Class '\(name)': embedded classes are not supported by this version.")
        }
        if objectClass.properties.isEmpty { faults.append("No properties are defined for '\(name)'.") }
        if objectClass.properties.count > 65_535 { faults.append("Class '\(name)' has more than 65535 properties.") }
        var seen: Set<String> = []
        for property in objectClass.properties {
            if !seen.insert(property.name).inserted {
                faults.append("Property '\(name).\(property.name)' appears more than once.")
            }
            faults += self.faults(of: property, in: objectClass)
        }
        if let key = objectClass.primaryKey, objectClass[key] == nil {
            faults.append("Primary key property '\(name).\(key)' does not exist.")
        }
        return faults
    }

    private func faults(of property: PropertySchema, in objectClass: ClassSchema) -> [String] {
        let path = "\(objectClass.name).\(property.name)"
        var faults: [String] = []
        if property.name.isEmpty { faults.append("Class '\(objectClass.name)' has a property without a name.") }
        if property.name.utf8.count > 63 { faults.append("Property name '\(path)' is longer than 63 bytes.") }
        if property.name.hasPrefix("$") {
            faults.append("Property '\(path)': names starting with '$' are reserved, as '$key' is on the wire.")
        }
        let type = property.type
        if type.collection != .single {
            faults.append(
                "Property '\(path)' of type '\(type)': lists, sets and maps are not supported by this version.")
        }
        switch type.base {
        case .data, .decimal128, .mixed:
            faults.append("Property '\(path)': type '\(type.base.name)' is not supported by this version.")
        case .link(let target):
            if self[target] == nil {
                faults.append("Property '\(path)' of type 'object' has unknown object type '\(target)'")
            }
            if type.collection == .single, !type.isOptional {
                faults.append("Property '\(path)' of type 'object' must be nullable.")
            }
        case .linkingObjects(let fromClass, let origin):
            if let originProperty = self[fromClass]?[origin] {
                if case .link(let target) = originProperty.type.base {
                    if target != objectClass.name {
                        faults.append(
                            "Property '\(fromClass).\(origin)' declared as origin of linking objects property '\(path)' links to type '\(target)'"
                        )
                    }
                } else {
                    faults.append(
                        "Property '\(fromClass).\(origin)' declared as origin of linking objects property '\(path)' is not a link"
                    )
                }
            } else {
                faults.append(
                    "Property '\(fromClass).\(origin)' declared as origin of linking objects property '\(path)' does not exist"
                )
            }
        default:
            break
        }
        let isKey = objectClass.primaryKey == property.name
        if isKey, !type.canBePrimaryKey {
            faults.append("Property '\(path)' of type '\(type)' cannot be made the primary key.")
        }
        if property.isIndexed, !type.canBeIndexed {
            faults.append("Property '\(path)' of type '\(type)' cannot be indexed.")
        }
        if let value = property.defaultValue {
            if type.isComputed || isKey {
                faults.append("Property '\(path)' cannot have a default value.")
            } else if !type.accepts(value) {
                faults.append(
                    "Property '\(path)' of type '\(type)' cannot have a default value of type '\(value.typeName)'.")
            }
        }
        return faults
    }
}

extension PropertyType {
    /// Int, String, ObjectId and UUID, optional or not.
    package var canBePrimaryKey: Bool {
        switch base {
        case .int, .string, .objectId, .uuid: collection == .single
        default: false
        }
    }

    /// What a primary key can be, and Bool and Date.
    package var canBeIndexed: Bool {
        switch base {
        case .bool, .date: collection == .single
        default: canBePrimaryKey
        }
    }

    /// Whether a value can be stored in a property of this type as it is, without conversion: elements of
    /// collections are looked at one by one. Whether the objects that are linked to exist, and limits of size,
    /// are not looked at.
    package func accepts(_ value: Value) -> Bool {
        switch (collection, value) {
        case (.single, _): acceptsElement(value)
        case (.list, .list(let elements)), (.set, .set(let elements)): elements.allSatisfy { acceptsElement($0) }
        case (.map, .dictionary(let map)): map.entries.allSatisfy { acceptsElement($0.value) }
        default: false
        }
    }

    /// Whether the value can stand in a property of this type if it is single, or as an element of it.
    package func acceptsElement(_ value: Value) -> Bool {
        switch (value, base) {
        case (.null, _): acceptsNull
        case (.bool, .bool), (.int, .int), (.float, .float), (.double, .double), (.string, .string), (.date, .date),
            (.objectId, .objectId), (.uuid, .uuid), (.link, .link), (.data, .data), (.decimal, .decimal128):
            true
        case (.embedded, .link): collection != .set
        case (_, .mixed): Self.acceptsMixed(value, collections: collection != .set)
        default: false
        }
    }

    private static func acceptsMixed(_ value: Value, collections: Bool) -> Bool {
        switch value {
        case .link, .embedded, .set: false
        case .list(let elements): collections && elements.allSatisfy { acceptsMixed($0, collections: true) }
        case .dictionary(let map): collections && map.entries.allSatisfy { acceptsMixed($0.value, collections: true) }
        default: true
        }
    }
}
