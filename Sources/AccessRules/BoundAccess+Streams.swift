package import ObjectModel
package import QueryLanguage
package import StoreContract

/// What streams need to know of what is there.
extension BoundAccess {
    /// What the snapshot was restricted by; nil for one that shows everything.
    package static func of(_ snapshot: any Snapshot) -> BoundAccess? { (snapshot as? RestrictedSnapshot)?.access }

    /// Key paths of the properties of a class that are there, and on behind links to where nothing is hidden: what counts
    /// as a modification when an observer does not say. Of an object by itself only its own stored properties.
    package func ownPaths(of classID: ClassID, isObject: Bool) -> [String] {
        var paths: [String] = []
        addPaths(of: classID, behind: "", depth: isObject ? 0 : 3, &paths)
        return paths
    }

    private func addPaths(of classID: ClassID, behind prefix: String, depth: Int, _ paths: inout [String]) {
        for property in visibleSchema[classID]?.storedProperties ?? [] {
            paths.append(prefix + property.name)
            guard depth > 0, paths.count < Self.mostPaths, let target = property.targetClass, isOpen(target),
                visibleSchema[target]?.properties.count == schema[target]?.properties.count
            else { continue }
            addPaths(of: target, behind: prefix + property.name + ".", depth: depth - 1, &paths)
        }
    }

    private static let mostPaths = 200

    /// Key paths, under the whole schema, by which it comes about that an object of the class shows other links: what
    /// the rules read of the objects that it links to.
    package func visibilityPaths(of classID: ClassID) -> [String] {
        var paths: Set<String> = []
        for property in visibleSchema[classID]?.storedProperties ?? [] where hides(property) {
            let targets =
                property.type.isMixed ? Array((references ?? [:]).keys) : [property.targetClass].compactMap { $0 }
            for target in targets {
                for path in rulePaths(of: target) { paths.insert(property.name + "." + path) }
            }
        }
        return paths.sorted()
    }

    /// Key paths, under the whole schema, of what decides whether an object of the class is there.
    package func rulePaths(of classID: ClassID) -> [String] {
        var names = RuleNames(schema: schema)
        names.add(access(classID).part, classID, behind: "")
        return names.paths.sorted()
    }

    /// Whether a change of another object may decide whether one of this class is there.
    package func dependsOnOthers(_ classID: ClassID) -> Bool {
        var names = RuleNames(schema: schema)
        names.add(access(classID).whole, classID, behind: "")
        return names.readsOthers
    }

    /// A query that gives the object as long as it is there; nil when only its deletion can end that.
    package func presence(of object: ObjectReference) -> BoundQuery? {
        guard !isOpen(object.classID) else { return nil }
        let itself = BoundPredicate.comparison(
            BoundComparison(
                .path(BoundPath(end: .object(object.classID))), .equal, .constant(.reference(object))))
        return BoundQuery(
            classID: object.classID, predicate: .and([itself, access(object.classID).whole]))
    }

    /// Whether the object was there for the caller at an earlier version.
    package func wasThere(_ object: ObjectReference, in reads: any ObjectReads) throws -> Bool {
        let rule = BoundQuery(classID: object.classID, predicate: access(object.classID).whole)
        return try reads.matches(rule, object.key)
    }

    /// Whether the collection can be observed as it lies: not when elements of it are left out, so that positions are
    /// others.
    package func isObservable(_ property: PropertySchema) -> Bool { !leavesElementsOut(property) }

    /// A value that the property has or had, with what is not there in the snapshot left out.
    package static func shown(
        _ value: Value, of property: PropertySchema, in snapshot: any Snapshot
    ) throws -> Value {
        guard let access = of(snapshot), access.hides(property) else { return value }
        return try ValueMask { try snapshot.exists($0.classID, $0.key) }.shown(value, of: property)
    }
}
