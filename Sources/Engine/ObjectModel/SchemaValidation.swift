extension Schema {
    /// Every fault of the schema, as sentences; empty when a store can open it. The rules and most sentences are
    /// Realm's, which its users know.
    package func faults() -> [String] {
        var faults: [String] = []
        var seen: Set<String> = []
        for objectClass in classes {
            if !seen.insert(objectClass.name).inserted {
                faults.append("Class '\(objectClass.name)' appears more than once.")
            }
            faults += self.faults(of: objectClass)
        }
        return faults + embeddingFaults()
    }

    private func faults(of objectClass: ClassSchema) -> [String] {
        let name = objectClass.name
        var faults: [String] = []
        if !PropertyType.isClassName(name) {
            faults.append(
                "'\(name)' is not a valid class name: use letters, digits, underscores and single spaces between words, not starting with a digit."
            )
        }
        if BaseType.isScalarName(name) {
            faults.append("'\(name)' is not a valid class name: it is the name of a type. Choose another name.")
        }
        if name.utf8.count > ClassSchema.nameLimit {
            faults.append("Class name '\(name)' is longer than \(ClassSchema.nameLimit) bytes.")
        }
        if objectClass.properties.isEmpty { faults.append("No properties are defined for '\(name)'.") }
        if objectClass.properties.count > 65_535 {
            faults.append("Class '\(name)' has more than 65535 properties.")
        } else if objectClass.properties.contains(where: { $0.id.rawValue == 0 }) {
            faults.append(
                "Class '\(name)' has had 65535 properties over time and can have no new ones. Copy its objects to a new class."
            )
        }
        var seen: Set<String> = []
        for property in objectClass.properties {
            if !seen.insert(property.name).inserted {
                faults.append("Property '\(name).\(property.name)' appears more than once.")
            }
            faults += self.faults(of: property, in: objectClass)
        }
        if let key = objectClass.primaryKey {
            if objectClass.isEmbedded {
                faults.append("Embedded object type '\(name)' cannot have a primary key.")
            } else if objectClass[key] == nil {
                faults.append("Primary key property '\(name).\(key)' does not exist.")
            }
        }
        return faults
    }

    private func faults(of property: PropertySchema, in objectClass: ClassSchema) -> [String] {
        let path = "\(objectClass.name).\(property.name)"
        var faults: [String] = []
        if property.name.isEmpty { faults.append("Class '\(objectClass.name)' has a property without a name.") }
        if property.name.utf8.count > PropertySchema.nameLimit {
            faults.append("Property name '\(path)' is longer than \(PropertySchema.nameLimit) bytes.")
        }
        if property.name.hasPrefix("$") {
            faults.append("Property '\(path)': names starting with '$' are reserved, such as '$key' in requests.")
        }
        let type = property.type
        faults += nullabilityFaults(path, type)
        switch type.base {
        case .link(let target):
            if let target = self[target] {
                if target.isEmbedded, type.collection == .set {
                    faults.append(
                        "Set property '\(path)' cannot contain embedded object type '\(target.name)'. Use a list."
                    )
                }
            } else {
                faults.append("Property '\(path)' of type 'object' has unknown object type '\(target)'")
            }
        case .linkingObjects(let fromClass, let origin):
            faults += originFaults(path, objectClass, fromClass, origin)
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
        if property.isFullTextIndexed, !type.canBeFullTextIndexed {
            faults.append(
                "Property '\(path)' of type '\(type)' cannot be indexed for full-text search: only strings can.")
        }
        if let value = property.defaultValue { faults += defaultFaults(path, type, isKey: isKey, value) }
        return faults
    }

    /// Single links and links in maps are always optional, those in lists and sets never; mixed values include null and
    /// are not declared optional.
    private func nullabilityFaults(_ path: String, _ type: PropertyType) -> [String] {
        switch type.base {
        case .link where type.collection == .single || type.collection == .map:
            type.isOptional ? [] : ["Property '\(path)' of type '\(type.faultName)' must be nullable."]
        case .link:
            type.isOptional
                ? ["Property '\(path)' of type '\(type.faultName)' cannot be nullable: no element is ever null."] : []
        case .mixed:
            type.isOptional
                ? ["Property '\(path)' of type 'mixed' cannot be nullable: null is already one of its values."] : []
        case .linkingObjects:
            type.isOptional || type.isCollection
                ? ["Property '\(path)' of type '\(type.base.name)' cannot be nullable or a collection."] : []
        default: []
        }
    }

    private func originFaults(
        _ path: String, _ objectClass: ClassSchema, _ fromClass: String, _ origin: String
    ) -> [String] {
        let declared = "Property '\(fromClass).\(origin)' declared as origin of linking objects property '\(path)'"
        guard let type = self[fromClass]?[origin]?.type else { return ["\(declared) does not exist"] }
        guard case .link(let target) = type.base else { return ["\(declared) is not a link"] }
        return target == objectClass.name ? [] : ["\(declared) links to type '\(target)'"]
    }

    private func defaultFaults(_ path: String, _ type: PropertyType, isKey: Bool, _ value: Value) -> [String] {
        if type.isComputed || isKey || type.isLink || value.namesObjects {
            return ["Property '\(path)' cannot have a default value."]
        }
        guard type.accepts(value) else {
            return ["Property '\(path)' of type '\(type)' cannot have a default value of type '\(value.typeName)'."]
        }
        if let key = value.invalidMapKey {
            return [
                "The default value of property '\(path)' has the key '\(key)': keys must not start with '$' or contain '.'."
            ]
        }
        return []
    }

    // MARK: Embedded classes

    /// Faults of all embedded classes together: cycles, and classes that can never have objects.
    private func embeddingFaults() -> [String] {
        var faults: [String] = []
        var finished: Set<String> = []
        for objectClass in classes where objectClass.isEmbedded && !finished.contains(objectClass.name) {
            if let cycle = embeddedCycle(from: objectClass, without: finished) {
                faults.append("Cycles containing embedded objects are not currently supported: '\(cycle)'")
            }
            finished.insert(objectClass.name)
        }
        var reached: Set<String> = []
        var open = classes.filter { !$0.isEmbedded }
        while let next = open.popLast() {
            for target in next.properties.compactMap({ embeddedTarget($0) }) where reached.insert(target.name).inserted
            {
                open.append(target)
            }
        }
        for objectClass in classes where objectClass.isEmbedded && reached.insert(objectClass.name).inserted {
            faults.append(
                "Embedded object type '\(objectClass.name)' cannot be reached: no top-level class links to it, directly or through other embedded classes."
            )
        }
        return faults
    }

    private func embeddedTarget(_ property: PropertySchema) -> ClassSchema? {
        guard case .link(let target) = property.type.base, let objectClass = self[target], objectClass.isEmbedded else {
            return nil
        }
        return objectClass
    }

    /// The path from an embedded class through embedded classes back to it, as names with dots. Classes in `finished`
    /// are not entered: a cycle through them has already been reported.
    private func embeddedCycle(from root: ClassSchema, without finished: Set<String>) -> String? {
        var open: [(objectClass: ClassSchema, path: String)] = [(root, root.name)]
        var seen = finished
        while let (current, path) = open.popLast() {
            for property in current.properties {
                guard let target = embeddedTarget(property) else { continue }
                let longer = "\(path).\(property.name)"
                if target.name == root.name { return longer }
                if seen.insert(target.name).inserted { open.append((target, longer)) }
            }
        }
        return nil
    }
}

extension Value {
    /// Whether the value is or contains an object, whose existence only a store can check.
    fileprivate var namesObjects: Bool {
        switch self {
        case .link, .reference, .embedded: true
        case .list(let elements), .set(let elements): elements.contains { $0.namesObjects }
        case .dictionary(let map): map.entries.contains { $0.value.namesObjects }
        default: false
        }
    }

    /// A key of a map in the value that is not a valid map key.
    fileprivate var invalidMapKey: String? {
        switch self {
        case .list(let elements), .set(let elements): elements.lazy.compactMap(\.invalidMapKey).first
        case .dictionary(let map):
            map.entries.lazy.compactMap {
                $0.key.hasPrefix("$") || $0.key.contains(".") ? $0.key : $0.value.invalidMapKey
            }.first
        default: nil
        }
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

    /// The types of primary keys, and Bool, Date and Mixed.
    package var canBeIndexed: Bool {
        switch base {
        case .bool, .date, .mixed: collection == .single
        default: canBePrimaryKey
        }
    }

    /// Texts, optional or not.
    package var canBeFullTextIndexed: Bool { base == .string && collection == .single }

    /// The type as Realm's sentences name it, where all links are 'object'.
    var faultName: String { isLink ? "object" : description }

    /// Whether a value can be stored in a property of this type unchanged, without conversion. Elements of collections
    /// are checked one by one. Neither the existence of linked objects nor limits of size are checked.
    package func accepts(_ value: Value) -> Bool {
        switch (collection, value) {
        case (.single, _): acceptsElement(value)
        case (.list, .list(let elements)), (.set, .set(let elements)): elements.allSatisfy { acceptsElement($0) }
        case (.map, .dictionary(let map)): map.entries.allSatisfy { acceptsElement($0.value) }
        default: false
        }
    }

    /// Whether the value is valid in a property of this type if it is single, or as an element of it.
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
