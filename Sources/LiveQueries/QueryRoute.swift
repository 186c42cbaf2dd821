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

    /// Whether an object's place depends on its own stored values alone, and the steps are sorts alone, so that
    /// one object's change moves no other.
    private(set) var isLocal = true

    /// The keys of all sorts, the strongest first; ties are broken by creation order.
    private(set) var sortKeys: [SortKey] = []

    /// Throws `unknownClass` or `unknownProperty` when the query does not fit the schema.
    init(_ query: BoundQuery, schema: Schema) throws(StoreError) {
        classID = query.classID
        guard schema[classID] != nil else { throw Self.classGone }
        dependencies[classID, default: Dependency()].membership = true
        try add(query.predicate, schema)
        for step in query.steps {
            switch step {
            case .sort(let keys):
                for key in keys { try add(key.path, schema) }
                // A later sort is the stronger one: it keeps the earlier order among ties.
                sortKeys.insert(contentsOf: keys, at: 0)
            case .distinct(let paths):
                for path in paths { try add(path, schema) }
                isLocal = false
            case .limit:
                isLocal = false
            }
        }
    }

    /// Whether the changes can have altered the result or its order.
    func isTouched(by changes: ChangeSet) -> Bool {
        changes.classes.contains { id, changes in
            guard let dependency = dependencies[id] else { return false }
            if dependency.membership, !changes.insertions.isEmpty || !changes.deletions.isEmpty { return true }
            return changes.modifications.values.contains { $0.intersects(dependency.properties) }
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

    private mutating func add(_ predicate: BoundPredicate, _ schema: Schema) throws(StoreError) {
        switch predicate {
        case .constant: break
        case .between, .fullText, .geoWithin: isLocal = false
        case .comparison(let comparison):
            for operand in [comparison.left, comparison.right] {
                if case .path(let path) = operand { try add(path, schema) }
            }
        case .not(let inner): try add(inner, schema)
        case .and(let parts), .or(let parts): for part in parts { try add(part, schema) }
        }
    }

    private mutating func add(_ path: BoundPath, _ schema: Schema) throws(StoreError) {
        var current = classID
        for (index, link) in path.links.enumerated() {
            switch link {
            case .forward(let property, let target):
                try check(property, of: current, schema) { $0.type.isToOneLink && $0.targetClass == target }
                dependencies[current, default: Dependency()].properties.insert(property)
                // The object's own link is a value like any other as long as nothing is read behind it.
                if index > 0 || path.readsTarget { isLocal = false }
                current = target
            case .elements(_, let target, _):
                isLocal = false
                current = target
            case .backward(let origin, let property):
                try check(property, of: origin, schema) { $0.type.isLink && $0.targetClass == current }
                dependencies[origin, default: Dependency()].properties.insert(property)
                dependencies[origin, default: Dependency()].membership = true
                isLocal = false
                current = origin
            }
        }
        if case .property(let property, let type) = path.end {
            try check(property, of: current, schema) { $0.type == type }
            dependencies[current, default: Dependency()].properties.insert(property)
        }
    }

    private func check(
        _ property: PropertyID, of classID: ClassID, _ schema: Schema, _ fits: (PropertySchema) -> Bool
    ) throws(StoreError) {
        guard let objectClass = schema[classID] else { throw Self.classGone }
        guard let found = objectClass[property], fits(found) else {
            throw StoreError(
                .unknownProperty,
                "A property of class '\(objectClass.name)' that the observed query uses is gone from the schema.")
        }
    }

    private static var classGone: StoreError {
        StoreError(.unknownClass, "A class that the observed query uses is gone from the schema.")
    }
}

extension BoundPath {
    /// Whether the value lies in an object that the links lead to, not in the last link itself.
    fileprivate var readsTarget: Bool {
        if case .property = end { return true }
        return false
    }
}
