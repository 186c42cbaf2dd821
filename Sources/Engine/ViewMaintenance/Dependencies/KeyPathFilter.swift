package import ObjectModel
package import StoreContract

/// Finds the objects of a class that some key paths count as modified.
package struct KeyPathFilter {
    package private(set) var paths: [LiveKeyPath]

    init(_ paths: [LiveKeyPath]) { self.paths = paths }

    /// The filter of observers with the paths; nil without paths. Throws as `adopt` does, and `unknownProperty` when a
    /// path begins at another class.
    ///
    /// - Parameter owner: the name of the class's owner for the error.
    package init?(_ paths: [LiveKeyPath], from classID: ClassID?, _ schema: Schema, else owner: String)
        throws(StoreError)
    {
        guard !paths.isEmpty else { return nil }
        guard paths.allSatisfy({ $0.classID == classID }) else {
            throw StoreError(.unknownProperty, "The key paths belong to another class than \(owner).")
        }
        self.init(paths)
        try adopt(schema)
    }

    /// The filter of observers of mixed values, whose paths begin at any class; nil without paths. Throws as `adopt`
    /// does.
    package init?(ofMixed paths: [LiveKeyPath], _ schema: Schema) throws(StoreError) {
        guard !paths.isEmpty else { return nil }
        self.init(paths)
        try adopt(schema)
    }

    /// The branches of all paths.
    package var branches: [LiveKeyPath.Branch] { paths.flatMap(\.branches) }

    /// The classes whose changes can matter.
    package var classes: Set<ClassID> { paths.reduce(into: []) { $0.formUnion($1.classes) } }

    /// Resolves the paths again under another schema. Throws `unknownClass`, `unknownProperty`, `keyPathTooWide`; then
    /// the filter is unchanged.
    mutating func adopt(_ schema: Schema) throws(StoreError) {
        var adapted: [LiveKeyPath] = []
        for path in paths { adapted.append(try path.adapted(to: schema)) }
        paths = adapted
    }

    /// The objects of the paths' class that exist before and after the delta and were modified along one of the paths.
    /// Cost: the objects on the paths back from changed ones, once for all that request the same of a delta.
    package func modifiedRoots(by step: VersionDelta) throws -> Set<ObjectKey> {
        var roots: Set<ObjectKey> = []
        for path in paths { for branch in path.branches { roots.formUnion(try step.roots(of: branch.tree)) } }
        return roots
    }

    /// The same objects for paths of several classes, as far as they are of these.
    package func modifiedLinks(by step: VersionDelta, among classes: Set<ClassID>) throws -> ModifiedLinks {
        var keys: [ClassID: Set<ObjectKey>] = [:]
        for path in paths where classes.contains(path.classID) {
            for branch in path.branches {
                keys[path.classID, default: []].formUnion(try step.roots(of: branch.tree))
            }
        }
        return ModifiedLinks(mixed: keys)
    }
}

extension [LiveKeyPath.Branch] {
    /// The first properties of the paths along which one object was modified, or may have been where the earlier
    /// version was released.
    package func changedProperties(of key: ObjectKey, by step: VersionDelta) throws -> PropertySet {
        var properties = PropertySet()
        for branch in self where !properties.contains(branch.property) {
            // An object on the path that stopped linking cannot be seen where the earlier version was released.
            let isReached = try VersionDelta.ifRetained { try step.isReached(key, by: branch.tree) } ?? true
            if isReached { properties.insert(branch.property) }
        }
        return properties
    }
}
