package import ObjectModel
package import StoreContract

/// A path of properties that narrows modifications: an element is modified when the path's first property was assigned
/// on it, or a later one on an object that the preceding properties lead to. A linking-objects property counts as
/// assigned when an object starts or stops linking.
///
/// Names are joined by dots, as in `owner.city`. They continue after links of every kind, also those in mixed values,
/// where it suffices that one class has the next name. `*` is every property at its position; a path stops early where
/// only `*` is left and the property is not a link.
package struct LiveKeyPath: Hashable, Sendable {
    /// The paths that begin with one property.
    package struct Branch: Hashable, Sendable {
        package let property: PropertyID
        package var tree: DependencyTree
    }

    /// The class that the path starts at.
    package let classID: ClassID

    /// By the properties that the path can begin with, in the order of their declaration. Never empty.
    package let branches: [Branch]

    /// The path as written, if an added class or property can change its meaning: with `*`, and after mixed values.
    private let openText: String?

    /// The maximum number of objects and properties on the branches of one path.
    package static let maximumPaths = 2000

    /// Throws `unknownClass`, `unknownProperty` with the nearest name as hint, and `keyPathTooWide`.
    ///
    /// - Parameter takesWildcards: whether `*` matches any property; else it is a name that does not exist.
    package init(
        _ text: String, in classID: ClassID, of schema: Schema, takesWildcards: Bool = true
    ) throws(StoreError) {
        let reader = try KeyPathReader(text, schema, takesWildcards: takesWildcards)
        self.classID = classID
        branches = try reader.branches(from: classID)
        openText = reader.isOpen ? text : nil
    }

    /// The path from each class that has it and that a mixed value can link to. Throws `unknownProperty` if there is
    /// none, and `keyPathTooWide`.
    package static func fromMixed(
        _ text: String, of schema: Schema, takesWildcards: Bool = true
    ) throws(StoreError) -> [LiveKeyPath] {
        var paths: [LiveKeyPath] = []
        var fault: (error: StoreError, isNear: Bool)?
        let first = text.prefix { $0 != "." }
        for objectClass in schema.classes where !objectClass.isEmbedded {
            do {
                paths.append(try LiveKeyPath(text, in: objectClass.id, of: schema, takesWildcards: takesWildcards))
            } catch {
                guard error.code == .unknownProperty else { throw error }
                // The error of a class that has the beginning of the path says more.
                let isNear = objectClass[String(first)] != nil
                if fault == nil || isNear && fault?.isNear == false { fault = (error, isNear) }
            }
        }
        guard paths.isEmpty else { return paths }
        if let fault, fault.isNear { throw fault.error }
        throw StoreError(
            .unknownProperty,
            "Invalid property name: property '\(first)' not found in object of any type that a mixed value can link to",
            property: String(first), hint: fault?.error.hint)
    }

    /// The classes whose changes can matter.
    package var classes: Set<ClassID> { branches.reduce(into: []) { $0.formUnion($1.tree.classes) } }

    /// The path under another schema. Renamed properties do not matter, except where the path's meaning depends on all
    /// existing names. Throws `unknownClass`, `unknownProperty`, `keyPathTooWide`.
    func adapted(to schema: Schema) throws(StoreError) -> LiveKeyPath {
        if let openText { return try LiveKeyPath(openText, in: classID, of: schema) }
        for branch in branches { try branch.tree.check(schema) }
        return self
    }
}

extension DependencyTree {
    /// Throws `unknownClass` or `unknownProperty` if a branch does not exist under the schema.
    func check(_ schema: Schema) throws(StoreError) {
        for node in nodes {
            guard let objectClass = schema[node.classID] else {
                throw StoreError(.unknownClass, "A class of the observed key path was removed from the schema.")
            }
            var needed = node.reads.members.map { (objectClass, $0) }
            if let arrival = node.arrival {
                let parent = nodes[arrival.parent].classID
                switch arrival.edge {
                case .forward(let link):
                    if let target = schema[parent]?[link]?.targetClass, target != node.classID {
                        throw Self.propertyDeleted(schema[parent])
                    }
                case .backward(let link):
                    needed.append((objectClass, link))
                    if schema[parent]?.properties.contains(where: {
                        $0.targetClass == node.classID && $0.originProperty == link
                    }) != true {
                        throw Self.propertyDeleted(schema[parent])
                    }
                }
            }
            for (objectClass, property) in needed where objectClass[property] == nil {
                throw Self.propertyDeleted(objectClass)
            }
        }
    }

    private static func propertyDeleted(_ objectClass: ClassSchema?) -> StoreError {
        StoreError(
            .unknownProperty,
            "A property of class '\(objectClass?.name ?? "?")' in the observed key path was removed from the schema.")
    }
}
