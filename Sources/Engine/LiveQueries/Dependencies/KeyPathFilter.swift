import ObjectModel
import StoreContract

/// Finds which objects of a class are modified in the sense of some key paths.
struct KeyPathFilter {
    private(set) var paths: [LiveKeyPath]

    init(_ paths: [LiveKeyPath]) { self.paths = paths }

    /// What counts for observers with the paths; nil where there are none. Throws as `adopt` does, and
    /// `unknownProperty` when a path begins at another class.
    ///
    /// - Parameter owner: what it is that has the class, for the error.
    init?(_ paths: [LiveKeyPath], from classID: ClassID?, _ schema: Schema, else owner: String) throws(StoreError) {
        guard !paths.isEmpty else { return nil }
        guard paths.allSatisfy({ $0.classID == classID }) else {
            throw StoreError(.unknownProperty, "The key paths belong to another class than \(owner).")
        }
        self.init(paths)
        try adopt(schema)
    }

    /// The ways of all paths.
    var branches: [LiveKeyPath.Branch] { paths.flatMap(\.branches) }

    /// The classes whose changes can matter.
    var classes: Set<ClassID> { paths.reduce(into: []) { $0.formUnion($1.classes) } }

    /// Reads the paths anew under another schema. Throws `unknownClass`, `unknownProperty`, `keyPathTooWide`;
    /// then the filter is as it was.
    mutating func adopt(_ schema: Schema) throws(StoreError) {
        var adapted: [LiveKeyPath] = []
        for path in paths { adapted.append(try path.adapted(to: schema)) }
        paths = adapted
    }

    /// The objects of the paths' class that exist before and after the step and were modified along one of the paths.
    /// Cost: the objects on the ways back from what changed, once for all who ask the same of a step.
    func modifiedRoots(by step: VersionDelta) throws -> Set<ObjectKey> {
        var roots: Set<ObjectKey> = []
        for path in paths { for branch in path.branches { roots.formUnion(try step.roots(of: branch.tree)) } }
        return roots
    }
}

extension [LiveKeyPath.Branch] {
    /// The properties of one object that ways begin with along which it was modified, or may have been where the
    /// earlier version was given up.
    func changedProperties(of key: ObjectKey, by step: VersionDelta) throws -> PropertySet {
        var properties = PropertySet()
        for branch in self where !properties.contains(branch.property) {
            // Who stopped linking on the way cannot be seen where the earlier version was given up.
            let isReached = try VersionDelta.ifKept { try step.isReached(key, by: branch.tree) } ?? true
            if isReached { properties.insert(branch.property) }
        }
        return properties
    }
}
