package import ObjectModel
package import QueryLanguage
package import StoreContract

/// The objects of a query's class whose membership or position in the result can have changed.
package enum AffectedKeys: Hashable, Sendable {
    case objects(Set<ObjectKey>)
    /// Testing them one by one would cost more than running the query again, or is impossible; with the reason.
    case recompute(reason: String)
}

/// The dependencies of a query's result and order.
package struct QueryDependencies {
    private var tree: DependencyTree
    private let classID: ClassID
    /// The object whose property is the query's scope: no other object's assignment of that property matters.
    private var holder: Holder?

    fileprivate struct Holder {
        let object: ObjectReference
        let property: PropertyID
        let kind: Kind

        enum Kind: Hashable {
            /// Linking objects, which enter and leave with this link of theirs.
            case origins(PropertyID)
            case set
            /// A list or map, which has an order of its own.
            case ordered
        }
    }

    /// The keys of all sorts, the most significant first; ties are broken by creation order.
    private(set) var sortKeys: [SortKey] = []

    /// The classes of objects that the query names by primary keys, which can be created and deleted.
    private(set) var namedClasses: Set<ClassID> = []

    /// Throws `unknownClass` or `unknownProperty` when the query, or a path, does not fit the schema.
    ///
    /// - Parameter paths: further values of each object that count as its position, such as a section's key.
    package init(_ query: BoundQuery, alsoReading paths: [BoundPath] = [], schema: Schema) throws(StoreError) {
        classID = query.classID
        tree = DependencyTree(from: classID)
        guard schema[classID] != nil else { throw Self.missingClass }
        if case .property(let object, let property) = query.scope { try setScope(object, property, schema) }
        try add(query.predicate, at: DependencyTree.root, schema)
        for step in query.steps {
            switch step {
            case .sort(let keys):
                for key in keys { try add(key.path, at: DependencyTree.root, schema) }
                // A later sort is more significant: it keeps the earlier order among ties.
                sortKeys.insert(contentsOf: keys, at: 0)
            case .distinct(let paths):
                for path in paths { try add(path, at: DependencyTree.root, schema) }
            case .limit: break
            }
        }
        for path in paths { try add(path, at: DependencyTree.root, schema) }
    }

    /// The classes whose changes can matter.
    package var classes: Set<ClassID> {
        var classes = namedClasses.union(tree.classes)
        if let holder { classes.insert(holder.object.classID) }
        return classes
    }

    /// The method that keeps the result current.
    package var maintenance: Maintenance {
        guard let holder else { return .incremental }
        return holder.kind == .ordered ? .recompute(reason: Self.scopeReason) : .incremental
    }

    private static let scopeReason = "it selects from a collection, which has an order of its own"
}

// MARK: Effects of changes

extension QueryDependencies {
    /// Whether the changes can have altered the result or its order, apart from objects that the query names.
    package func isTouched(by changes: ChangeSet) -> Bool {
        if let holder, holder.isTouched(by: changes) { return true }
        if let own = changes.classes[classID] {
            if takesOrigins, !own.insertions.isEmpty || !own.deletions.isEmpty { return true }
            if let origin, own.modifications.values.contains(where: { $0.contains(origin) }) { return true }
        }
        return tree.isTouched(by: changes)
    }

    /// Whether each object's own values decide its membership and position, for all objects of the class.
    package var isLocal: Bool { holder == nil && namedClasses.isEmpty && tree.isLocal }

    /// The watches that suffice if the predicate is the query's: those of objects that are in the result before or after
    /// a change. Nil when nothing is known that only few objects satisfy.
    ///
    /// - Parameter paths: those on which changes of other objects count, besides the query's own.
    package func watches(for predicate: BoundPredicate, along paths: ChangePaths) -> Set<LiveWatch>? {
        // Which objects the names mean can change.
        guard namedClasses.isEmpty else { return nil }
        var paths = paths
        paths.add(tree)
        guard let holder else {
            guard let conditions = MembershipCondition.all(of: predicate) else { return nil }
            return [.satisfying(of: classID, conditions, paths)]
        }
        let condition: MembershipCondition =
            if let origin { .linking(origin, to: holder.object) } else { .element(of: holder.object, holder.property) }
        return [.satisfying(of: classID, [condition], paths), .object(holder.object)]
    }

    /// Whether objects were created or deleted in a class whose objects the query names.
    package func mayRename(_ changes: ChangeSet) -> Bool {
        namedClasses.contains { id in
            guard let changes = changes.classes[id] else { return false }
            return !changes.insertions.isEmpty || !changes.deletions.isEmpty
        }
    }

    /// The objects of the query's class whose membership or position can have changed. All others have the same
    /// membership as before, and the same values for sorting, distinct and sections. Objects that the query names by
    /// primary key are assumed to be the same as before. Cost: the objects on the paths from changed ones to those of
    /// the class, limited to the cost of testing all objects of the class.
    package func affectedKeys(in step: VersionDelta) throws -> AffectedKeys {
        if let holder {
            guard holder.kind != .ordered else {
                return isTouched(by: step.changes) ? .recompute(reason: Self.scopeReason) : .objects([])
            }
            if holder.comesOrGoes(in: step.changes) {
                return .recompute(reason: "the object whose property it selects from was created or deleted")
            }
        }
        let limit = Self.limit(for: classID, in: step)
        guard var affectedKeys = try tree.reached(by: step, limit: limit) else {
            return .recompute(reason: "so many objects link to the changed ones that running it again costs less")
        }
        if let own = step.changes.classes[classID] {
            if takesOrigins {
                affectedKeys.formUnion(own.insertions)
                affectedKeys.formUnion(own.deletions)
            }
            if let origin {
                for (key, properties) in own.modifications where properties.contains(origin) {
                    affectedKeys.insert(key)
                }
            }
        }
        if let holder, holder.kind == .set, let changes = step.changes.classes[holder.object.classID],
            case .set(let edit) = changes.edits[holder.object.key]?[holder.property]
        {
            for values in [edit.insertions, edit.deletions] {
                for value in values { affectedKeys.formUnion(value.linkedKeys) }
            }
        }
        guard affectedKeys.count <= limit else {
            return .recompute(reason: "so many objects changed that running it again costs less")
        }
        return .objects(affectedKeys)
    }

    /// The number of times that an object occurs in the query's scope, before predicate and steps. A linking object can
    /// occur several times. For lists and maps, which are never maintained object by object, it gives no position.
    /// Cost: for a property of one object, the objects that link to or from it by that property.
    package func count(of key: ObjectKey, in reads: any ObjectReads) throws -> Int {
        guard try reads.exists(classID, key) else { return 0 }
        guard let holder else { return 1 }
        let holders =
            switch holder.kind {
            case .origins(let link):
                try reads.value(classID, key, link).linkedKeys(in: holder.object.classID)
            case .set, .ordered:
                try reads.backlinks(
                    to: ObjectReference(classID, key), from: holder.object.classID, holder.property)
            }
        return holders.count { $0 == holder.object.key }
    }

    /// The link by which objects enter the scope.
    private var origin: PropertyID? {
        if case .origins(let link) = holder?.kind { return link }
        return nil
    }

    /// Whether a new object can be in the scope without a link of another object.
    private var takesOrigins: Bool { holder == nil || origin != nil }

    /// Testing one object by itself costs about as much as testing sixteen in a row.
    private static func limit(for classID: ClassID, in step: VersionDelta) -> Int {
        max(1024, step.objectCount(of: classID) / 16)
    }
}

extension QueryDependencies.Holder {
    fileprivate func comesOrGoes(in changes: ChangeSet) -> Bool {
        guard let changes = changes.classes[object.classID] else { return false }
        return changes.insertions.contains(object.key) || changes.deletions.contains(object.key)
    }

    fileprivate func isTouched(by changes: ChangeSet) -> Bool {
        comesOrGoes(in: changes)
            || changes.classes[object.classID]?.modifications[object.key]?.contains(property) == true
    }
}

// MARK: Reads along the paths

extension QueryDependencies {
    private mutating func setScope(
        _ object: ObjectReference, _ property: PropertyID, _ schema: Schema
    ) throws(StoreError) {
        let target = classID
        let found = try check(property, of: object.classID, schema) { $0.targetClass == target }
        let kind: Holder.Kind =
            if let link = found.originProperty { .origins(link) } else {
                found.type.collection == .set ? .set : .ordered
            }
        holder = Holder(object: object, property: property, kind: kind)
    }

    private mutating func add(
        _ predicate: BoundPredicate, at node: Int, _ schema: Schema
    ) throws(StoreError) {
        try predicate.forEachPart { (part) throws(StoreError) in
            switch part {
            case .constants(.objects(let objects)):
                for case .object(let classID, _) in objects.elements {
                    guard schema[classID]?.primaryKey != nil else { throw Self.missingClass }
                    namedClasses.insert(classID)
                }
            case .constants: break
            case .path(let path): try add(path, at: node, schema)
            case .subquery(let subquery):
                let end = try follow(subquery.links, from: node, schema)
                guard tree.nodes[end].classID == subquery.classID else { throw Self.missingClass }
                try add(subquery.predicate, at: end, schema)
            case .geoWithin(let geo):
                let last = try follow(geo.links, from: node, schema)
                let classID = tree.nodes[last].classID
                try check(geo.typeProperty, of: classID, schema) { $0.type.base == .string }
                try check(geo.coordinatesProperty, of: classID, schema) { $0.type.collection == .list }
                tree.read(geo.typeProperty, at: last)
                tree.read(geo.coordinatesProperty, at: last)
            }
        }
    }

    private mutating func add(_ path: BoundPath, at node: Int, _ schema: Schema) throws(StoreError) {
        let end = try follow(path.links, from: node, schema)
        if case .property(let property, let type) = path.end {
            // Steps continue inside the value, and every edit of a collection is a modification of its holder.
            try check(property, of: tree.nodes[end].classID, schema) { $0.type == type }
            tree.read(property, at: end)
            for case .rowSecurity(let objects) in path.steps {
                for (classID, predicate) in objects.predicates {
                    try add(predicate, at: tree.follow(.forward(property), from: end, to: classID), schema)
                }
            }
        }
    }

    /// Returns the node that the links lead to.
    private mutating func follow(_ links: [LinkStep], from start: Int, _ schema: Schema) throws(StoreError) -> Int {
        var node = start
        for link in links {
            let here = tree.nodes[node].classID
            switch link {
            case .forward(let property, let target):
                try check(property, of: here, schema) { $0.type.isToOneLink && $0.targetClass == target }
                node = tree.follow(.forward(property), from: node, to: target)
            case .elements(let property, let target, let selector):
                try check(property, of: here, schema) {
                    $0.type.isLink && selector.fits($0.type.collection) && $0.targetClass == target
                }
                node = tree.follow(.forward(property), from: node, to: target)
            case .backward(let origin, let property):
                try check(property, of: origin, schema) {
                    $0.type.isMixed || $0.type.isLink && $0.targetClass == here
                }
                node = tree.follow(.backward(property), from: node, to: origin)
            case .rowSecurity(let predicate, _):
                // Whether an object is visible depends on the properties that its own condition reads.
                try add(predicate, at: node, schema)
            }
        }
        return node
    }

    @discardableResult
    private func check(
        _ property: PropertyID, of classID: ClassID, _ schema: Schema, _ fits: (PropertySchema) -> Bool
    ) throws(StoreError) -> PropertySchema {
        guard let objectClass = schema[classID] else { throw Self.missingClass }
        guard let found = objectClass[property], fits(found) else {
            throw StoreError(
                .unknownProperty,
                "A property of class '\(objectClass.name)' that the observed query uses was removed from the schema.")
        }
        return found
    }

    private static var missingClass: StoreError {
        StoreError(.unknownClass, "A class that the observed query uses was removed from the schema.")
    }
}

extension ElementSelector {
    /// Whether collections of that kind have such elements.
    fileprivate func fits(_ kind: CollectionKind) -> Bool {
        switch self {
        case .all: kind != .single
        case .position, .last: kind == .list
        case .key: kind == .map
        }
    }
}

/// The method that keeps a query's result current after commits.
package enum Maintenance: Hashable, Sendable {
    /// Only objects that changed, and those that reach them on the query's paths, are tested.
    case incremental
    /// The query is run again and the results are compared; with the reason.
    case recompute(reason: String)
}
