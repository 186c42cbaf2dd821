import ObjectModel
import QueryLanguage
import StoreContract

/// What a query's result and order depend on.
struct QueryRoute {
    private struct Dependency {
        /// Assigning one of these can change the result.
        var properties = PropertySet()
        /// So can creating or deleting an object.
        var membership = false
    }

    private var dependencies: [ClassID: Dependency] = [:]
    private let classID: ClassID
    /// The object whose property is the query's scope: to that property no other object's assignment matters.
    private var holder: (object: ObjectReference, property: PropertyID)?

    /// Whether an object's membership and place depend on its own stored values alone.
    private(set) var isLocal = true

    /// The keys of all sorts, the strongest first; ties are broken by creation order.
    private(set) var sortKeys: [SortKey] = []

    /// The classes of objects that the query names by primary keys, which can come and go.
    private(set) var namedClasses: Set<ClassID> = []

    /// Throws `unknownClass` or `unknownProperty` when the query does not fit the schema.
    init(_ query: BoundQuery, schema: Schema) throws(StoreError) {
        classID = query.classID
        guard schema[classID] != nil else { throw Self.classGone }
        try add(query.scope, schema)
        try add(query.predicate, from: classID, schema)
        for step in query.steps {
            switch step {
            case .sort(let keys):
                for key in keys { try add(key.path, from: classID, schema) }
                // A later sort is the stronger one: it keeps the earlier order among ties.
                sortKeys.insert(contentsOf: keys, at: 0)
            case .distinct(let paths):
                for path in paths { try add(path, from: classID, schema) }
            case .limit: break
            }
        }
    }

    /// Whether the changes can have altered the result or its order, objects that the query names aside.
    func isTouched(by changes: ChangeSet) -> Bool {
        if let holder, let changes = changes.classes[holder.object.classID],
            changes.insertions.contains(holder.object.key) || changes.deletions.contains(holder.object.key)
                || changes.modifications[holder.object.key]?.contains(holder.property) == true
        {
            return true
        }
        return changes.classes.contains { id, changes in
            guard let dependency = dependencies[id] else { return false }
            if dependency.membership, !changes.insertions.isEmpty || !changes.deletions.isEmpty { return true }
            return changes.modifications.values.contains { $0.intersects(dependency.properties) }
        }
    }

    /// The classes whose changes can matter.
    var classes: Set<ClassID> {
        var classes = namedClasses.union(dependencies.keys)
        classes.insert(classID)
        if let holder { classes.insert(holder.object.classID) }
        return classes
    }

    /// Whether objects came or went of a class of which the query names some.
    func mayRename(_ changes: ChangeSet) -> Bool {
        namedClasses.contains { id in
            guard let changes = changes.classes[id] else { return false }
            return !changes.insertions.isEmpty || !changes.deletions.isEmpty
        }
    }

    /// The objects of the query's class whose membership or place can have changed, when the query is local.
    func suspects(in changes: ChangeSet) -> Set<ObjectKey> {
        guard let changes = changes.classes[classID], let dependency = dependencies[classID] else { return [] }
        var suspects = changes.insertions.union(changes.deletions)
        for (key, properties) in changes.modifications where properties.intersects(dependency.properties) {
            suspects.insert(key)
        }
        return suspects
    }
}

// MARK: What is read on the way

extension QueryRoute {
    private mutating func add(_ scope: QueryScope, _ schema: Schema) throws(StoreError) {
        switch scope {
        case .all: dependencies[classID, default: Dependency()].membership = true
        case .property(let object, let property):
            let target = classID
            let found = try check(property, of: object.classID, schema) { $0.targetClass == target }
            if let link = found.originProperty {
                assign(link, of: target)
                // Whoever comes to link is assigned so, or new.
                dependencies[target, default: Dependency()].membership = true
            }
            holder = (object, property)
            isLocal = false
        }
    }

    private mutating func add(
        _ predicate: BoundPredicate, from start: ClassID, _ schema: Schema
    ) throws(StoreError) {
        switch predicate {
        case .constant: break
        case .comparison(let comparison):
            try add(comparison.left, from: start, schema)
            try add(comparison.right, from: start, schema)
        case .between(let between): try add(between.operand, from: start, schema)
        case .fullText(let text): try add(text.path, from: start, schema)
        case .geoWithin(let geo):
            let place = try add(geo.links, from: start, schema, readsEnd: true)
            try check(geo.typeProperty, of: place, schema) { $0.type.base == .string }
            try check(geo.coordinatesProperty, of: place, schema) { $0.type.collection == .list }
            assign(geo.typeProperty, of: place)
            assign(geo.coordinatesProperty, of: place)
        case .not(let inner): try add(inner, from: start, schema)
        case .and(let parts), .or(let parts): for part in parts { try add(part, from: start, schema) }
        }
    }

    private mutating func add(
        _ operand: BoundOperand, from start: ClassID, _ schema: Schema
    ) throws(StoreError) {
        switch operand {
        case .constant, .list: break
        case .objects(let objects):
            for case .object(let classID, _) in objects.elements {
                guard schema[classID]?.primaryKey != nil else { throw Self.classGone }
                namedClasses.insert(classID)
            }
        case .path(let path): try add(path, from: start, schema)
        case .aggregate(let aggregate): try add(aggregate.path, from: start, schema)
        case .subquery(let subquery):
            let end = try add(subquery.links, from: start, schema, readsEnd: true)
            guard end == subquery.classID else { throw Self.classGone }
            try add(subquery.predicate, from: end, schema)
        case .arithmetic(let arithmetic):
            try add(arithmetic.left, from: start, schema)
            try add(arithmetic.right, from: start, schema)
        }
    }

    private mutating func add(_ path: BoundPath, from start: ClassID, _ schema: Schema) throws(StoreError) {
        let end = try add(path.links, from: start, schema, readsEnd: path.readsTarget)
        if case .property(let property, let type) = path.end {
            // Steps go on inside the value, and every edit of a collection is a modification of its holder.
            try check(property, of: end, schema) { $0.type == type }
            assign(property, of: end)
        }
    }

    /// Gives the class that the links lead to.
    ///
    /// - Parameter readsEnd: whether something is read of the objects there, not only which ones they are.
    private mutating func add(
        _ links: [LinkStep], from start: ClassID, _ schema: Schema, readsEnd: Bool
    ) throws(StoreError) -> ClassID {
        var current = start
        for (index, link) in links.enumerated() {
            let origin = current
            switch link {
            case .forward(let property, let target):
                try check(property, of: origin, schema) { $0.type.isToOneLink && $0.targetClass == target }
                assign(property, of: origin)
                current = target
            case .elements(let property, let target, let selector):
                try check(property, of: origin, schema) {
                    $0.type.isLink && selector.fits($0.type.collection) && $0.targetClass == target
                }
                assign(property, of: origin)
                current = target
            case .backward(let linking, let property):
                try check(property, of: linking, schema) {
                    $0.type.isMixed || $0.type.isLink && $0.targetClass == origin
                }
                assign(property, of: linking)
                dependencies[linking, default: Dependency()].membership = true
                isLocal = false
                current = linking
            }
            // The object's own links are values like any other as long as nothing is read behind them.
            if index > 0 || readsEnd { isLocal = false }
        }
        return current
    }

    private mutating func assign(_ property: PropertyID, of classID: ClassID) {
        dependencies[classID, default: Dependency()].properties.insert(property)
    }

    @discardableResult
    private func check(
        _ property: PropertyID, of classID: ClassID, _ schema: Schema, _ fits: (PropertySchema) -> Bool
    ) throws(StoreError) -> PropertySchema {
        guard let objectClass = schema[classID] else { throw Self.classGone }
        guard let found = objectClass[property], fits(found) else {
            throw StoreError(
                .unknownProperty,
                "A property of class '\(objectClass.name)' that the observed query uses is gone from the schema.")
        }
        return found
    }

    private static var classGone: StoreError {
        StoreError(.unknownClass, "A class that the observed query uses is gone from the schema.")
    }
}

extension BoundPath {
    /// Whether the value lies in an object that the links lead to, not in the last link itself.
    fileprivate var readsTarget: Bool {
        if case .property = end { return !links.isEmpty }
        return false
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
