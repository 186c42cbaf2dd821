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

    /// Whether a single value can be stored in a property of this type as it is, without conversion.
    package func accepts(_ value: Value) -> Bool {
        switch (value, base) {
        case (.null, _): isOptional
        case (.bool, .bool), (.int, .int), (.float, .float), (.double, .double), (.string, .string), (.date, .date),
            (.objectId, .objectId), (.uuid, .uuid), (.link, .link):
            true
        default: false
        }
    }
}
