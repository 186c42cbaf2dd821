package import JSONCoding
package import ObjectModel

/// How the objects of a class are written: the properties in order, with their encoded names.
package final class RowPlan: Sendable {
    /// The target of a link and how it is written. A class, so that passing it on is cheap.
    package final class Target: Sendable {
        package let classID: ClassID
        package let className: String
        /// Nil if the class has no primary key.
        package let primaryKey: PropertyID?
        /// How the target object is written; nil to write its key.
        package let expanded: RowPlan?
        /// Whether the target belongs to the linking object, and is written as part of it.
        package let isOwned: Bool

        package init(_ target: ClassSchema, isOwned: Bool, expanded: RowPlan?) {
            self.isOwned = isOwned
            classID = target.id
            className = target.name
            primaryKey = target.primaryKeyProperty?.id
            self.expanded = expanded
        }
    }

    /// How the values of a column are written.
    package enum Column: Sendable {
        case value(PropertyID, isMixed: Bool)
        /// A link, or a collection of links.
        case link(PropertyID, Target)
        /// The objects of the target class whose property links here.
        case linkingObjects(PropertyID, Target)
    }

    package let classID: ClassID
    package let className: String
    package let columns: [Column]
    /// The names of the columns.
    package let names: EscapedNames
    /// Whether there are computed columns.
    package let hasComputed: Bool
    /// The stored properties among the columns, in order.
    package let stored: [PropertyID]
    /// Whether objects are identified by `$key` because the class has no primary key. Embedded objects reached through
    /// their owner are identified by their position there, and their keys would reveal how many others exist.
    package let writesObjectKey: Bool
    /// Whether each object is followed by a line break instead of a comma.
    package let endsLines: Bool
    package let style: TypeStyle
    /// Whether the output depends on other objects, too.
    package let looksFurther: Bool

    /// The maximum depth of `expand`.
    package static let depthLimit = 4

    package static let keyName = JSONWriter.escapedName("$key")

    /// All stored properties in the order of declaration; links as keys, embedded objects inline.
    ///
    /// - Parameter isPart: whether the objects are reached through their owners.
    package convenience init(
        _ objectClass: ClassSchema, of schema: Schema, style: TypeStyle = .plain, isPart: Bool = false
    ) {
        self.init(objectClass, schema, objectClass.storedProperties, Expansion(), style, isPart: isPart)
    }

    /// Only these properties; links as keys.
    package convenience init(
        _ objectClass: ClassSchema, of schema: Schema, properties: [PropertySchema], style: TypeStyle
    ) { self.init(objectClass, schema, properties, Expansion(), style) }

    /// Throws 400 for names that the classes do not have.
    ///
    /// - Parameters:
    ///   - fields: the properties to write, separated by commas; nil for all stored ones. `owner.name` writes the owner
    ///     as an object with only its name.
    ///   - expand: paths of links to write as their target objects, separated by commas.
    ///   - isPart: whether the objects are reached through their owners.
    package convenience init(
        _ objectClass: ClassSchema, of schema: Schema, fields: String?, expand: String?, style: TypeStyle,
        isPart: Bool = false
    ) throws(Problem) {
        var expansion = Expansion()
        if let expand { try expansion.read(expand, objectClass, schema) }
        var properties = objectClass.storedProperties
        if let fields {
            properties = []
            for name in fields.split(separator: ",", omittingEmptySubsequences: false) {
                let name = String(name)
                // The key is always written.
                if name == "$key", objectClass.primaryKey == nil { continue }
                let names = name.split(separator: ".", omittingEmptySubsequences: false).map { String($0) }
                if names.count > 1 { try expansion.choose(names, objectClass, schema) }
                let property = try objectClass.named(names[0], parameter: "fields")
                if !properties.contains(where: { $0.id == property.id }) { properties.append(property) }
            }
        }
        self.init(objectClass, schema, properties, expansion, style, isPart: isPart)
    }

    /// Writes the objects in the form of an import file: one per line, without `$key`.
    package convenience init(exporting properties: [PropertySchema], of objectClass: ClassSchema, schema: Schema) {
        self.init(objectClass, schema, properties, Expansion(), .plain, isPart: true, endsLines: true)
    }

    /// Writes one object per line, identified by `$key` if the class has no primary key; links as keys.
    package convenience init(lines properties: [PropertySchema], of objectClass: ClassSchema, schema: Schema) {
        self.init(objectClass, schema, properties, Expansion(), .plain, endsLines: true)
    }

    /// - Parameter isPart: whether the objects are written without `$key`, as embedded ones within their owners are.
    private init(
        _ objectClass: ClassSchema, _ schema: Schema, _ properties: [PropertySchema], _ expansion: Expansion,
        _ style: TypeStyle, isPart: Bool = false, endsLines: Bool = false
    ) {
        let named = Set(properties.map(\.name))
        let added = objectClass.properties.filter { expansion.inner[$0.name] != nil && !named.contains($0.name) }
        var columns: [Column] = []
        var stored: [PropertyID] = []
        for property in properties + added {
            guard let target = property.targetClass.flatMap({ schema[$0] }) else {
                columns.append(.value(property.id, isMixed: property.type.isMixed))
                stored.append(property.id)
                continue
            }
            // An owner always shows its embedded objects, and a valid schema has no cycle of embedded classes. The
            // owner of an embedded object is an object like any other.
            let isOwned = target.isEmbedded && property.originProperty == nil
            let inner = expansion.inner[property.name] ?? (isOwned ? Expansion() : nil)
            let expanded = inner.map {
                RowPlan(target, schema, $0.chosen(of: target), $0, style, isPart: isOwned)
            }
            let linked = Target(target, isOwned: isOwned, expanded: expanded)
            if let origin = property.originProperty {
                columns.append(.linkingObjects(origin, linked))
            } else {
                columns.append(.link(property.id, linked))
                stored.append(property.id)
            }
        }
        classID = objectClass.id
        className = objectClass.name
        self.columns = columns
        names = EscapedNames((properties + added).map(\.name))
        hasComputed = stored.count < columns.count
        self.stored = stored
        writesObjectKey = objectClass.primaryKey == nil && !isPart
        self.endsLines = endsLines
        self.style = style
        looksFurther = columns.contains {
            switch $0 {
            case .value: false
            case .link(_, let target): target.isOwned ? target.expanded?.looksFurther == true : target.expanded != nil
            case .linkingObjects: true
            }
        }
    }
}

/// The tree of `expand=owner,toys.maker` and `fields=owner.name`.
private struct Expansion {
    var inner: [String: Expansion] = [:]
    /// The properties to write of these objects; nil for all stored ones.
    private var fields: [String]?

    /// Returns the properties in the order in which they were requested.
    func chosen(of objectClass: ClassSchema) -> [PropertySchema] {
        fields.map { $0.compactMap { objectClass[$0] } } ?? objectClass.storedProperties
    }

    /// Adds one path of `fields`, starting from the class.
    mutating func choose(_ path: [String], _ objectClass: ClassSchema, _ schema: Schema) throws(Problem) {
        try Self.check(path.count - 1, path.joined(separator: "."), parameter: "fields")
        try choose(path[...], objectClass, schema, isOutermost: true)
    }

    private mutating func choose(
        _ names: ArraySlice<String>, _ objectClass: ClassSchema, _ schema: Schema, isOutermost: Bool = false
    ) throws(Problem) {
        guard let name = names.first else { return }
        // The outermost object's fields are stored separately.
        if !isOutermost, fields == nil { fields = [] }
        // The key is always written.
        if name == "$key", names.count == 1, objectClass.primaryKey == nil { return }
        let property = try objectClass.named(name, parameter: "fields")
        if !isOutermost, fields?.contains(name) == false { fields?.append(name) }
        guard names.count > 1 else { return }
        guard let target = property.targetClass.flatMap({ schema[$0] }) else {
            throw Problem(
                .parameterInvalid,
                "'\(objectClass.name).\(name)' is not a link, so there is no '\(names[names.startIndex + 1])' of it.",
                parameter: "fields", property: name)
        }
        var deeper = inner[name] ?? Expansion()
        try deeper.choose(names.dropFirst(), target, schema)
        inner[name] = deeper
    }

    private static func check(_ links: Int, _ path: String, parameter: String) throws(Problem) {
        guard links > RowPlan.depthLimit else { return }
        throw Problem(
            .parameterInvalid,
            "'\(parameter)' can be at most \(RowPlan.depthLimit) links deep; '\(path)' has \(links).",
            parameter: parameter)
    }

    mutating func read(_ text: String, _ objectClass: ClassSchema, _ schema: Schema) throws(Problem) {
        for path in text.split(separator: ",", omittingEmptySubsequences: false) {
            let names = path.split(separator: ".", omittingEmptySubsequences: false).map { String($0) }
            try Self.check(names.count, String(path), parameter: "expand")
            try add(names[...], objectClass, schema)
        }
    }

    private mutating func add(
        _ names: ArraySlice<String>, _ objectClass: ClassSchema, _ schema: Schema
    ) throws(Problem) {
        guard let name = names.first else { return }
        let property = try objectClass.named(name, parameter: "expand")
        guard let target = property.targetClass.flatMap({ schema[$0] }) else {
            throw Problem(
                .parameterInvalid, "'\(objectClass.name).\(name)' is not a link and cannot be expanded.",
                parameter: "expand", property: name)
        }
        var deeper = inner[name] ?? Expansion()
        try deeper.add(names.dropFirst(), target, schema)
        inner[name] = deeper
    }
}
