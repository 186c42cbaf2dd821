import ObjectModel
import QuerySyntax
import QueryLanguage
import StoreContract

extension ResultsAccessor {
    /// The class of the objects, with Swift's names.
    var objectClass: ClassSchema {
        get throws {
            guard let objectClass = realm.models.schema[query.classID] else {
                throw StoreError.unknownClass(query.classID)
            }
            return objectClass
        }
    }

    private var binder: QueryBinder { QueryBinder(schema: realm.models.schema) }

    /// Adds a condition, which is applied before all sorts and distincts.
    func filtered(_ predicate: PredicateForm) throws -> ResultsAccessor {
        let bound = try predicate.bound(to: objectClass, in: realm)
        return try refined { query in
            switch (query.predicate, bound) {
            case (.constant(true), _): query.predicate = bound
            case (_, .constant(true)): break
            case (.and(let parts), _): query.predicate = .and(parts + [bound])
            default: query.predicate = .and([query.predicate, bound])
            }
        }
    }

    /// Returns the first position at which an object satisfies the predicate.
    func position(matching predicate: PredicateForm) throws -> Int? {
        let bound = try predicate.bound(to: objectClass, in: realm)
        let keys = try objects()
        let matching = Set(
            try realm.select(BoundQuery(classID: query.classID, scope: query.scope, predicate: bound)))
        return keys.firstIndex { matching.contains($0) }
    }

    /// Adds a sort, which takes precedence over the present ones.
    func sorted(by descriptors: [SortDescriptor]) throws -> ResultsAccessor {
        guard !descriptors.isEmpty else { return self }
        let objectClass = try objectClass
        let keys = try descriptors.map { descriptor -> SortKey in
            guard !descriptor.keyPath.contains("@") else {
                throw RealmException(
                    "Cannot sort on key path '\(descriptor.keyPath)': KVC collection operators are not supported.")
            }
            try checkOrder(descriptor.keyPath, objectClass)
            return try throwingMisuse {
                () throws(QueryError) in
                try binder.bindSortKey(descriptor.keyPath, ascending: descriptor.ascending, class: objectClass)
            }
        }
        return try refined { $0.steps.append(.sort(keys)) }
    }

    /// Throws for a key path with a property that elements cannot be ordered by, or made distinct by: a collection, and
    /// data for an order.
    private func checkOrder(_ keyPath: String, _ objectClass: ClassSchema, isSort: Bool = true) throws {
        let names = keyPath.split(separator: ".", omittingEmptySubsequences: false)
        var present: ClassSchema? = objectClass
        for (index, name) in names.enumerated() {
            guard let owner = present, let property = owner[String(name)] else { return }
            let isLast = index + 1 == names.count
            if let kind = property.type.unordered(isLast: isLast), isSort || kind != "data" {
                let path = "\(owner.name).\(name)"
                throw RealmException(
                    "Cannot sort on key path '\(keyPath)': property '\(path)' is of unsupported type '\(kind)'.")
            }
            present = property.targetClass.flatMap { realm.models.schema[$0] }
        }
    }

    func distinct(by keyPaths: [String]) throws -> ResultsAccessor {
        guard !keyPaths.isEmpty else { return self }
        let objectClass = try objectClass
        let paths = try keyPaths.map { path -> BoundPath in
            try checkOrder(path, objectClass, isSort: false)
            return try throwingMisuse {
                () throws(QueryError) in
                try binder.bindDistinctKey(path, class: objectClass)
            }
        }
        return try refined { $0.steps.append(.distinct(paths)) }
    }

    /// Returns an aggregate of a property of the objects; null for no objects. Throws for unknown and unsuitable
    /// properties.
    func aggregate(_ function: AggregateRequest.Function, _ property: String) throws -> Value {
        let objectClass = try objectClass
        guard let found = objectClass[property] else {
            throw RealmException(
                "Invalid property name: property '\(property)' not found in object of type '\(objectClass.name)'")
        }
        guard !found.type.isCollection, found.type.supports(function) else {
            throw RealmException(
                "Operation '\(function.rawValue)' not supported for \(found.type.described) '\(objectClass.name).\(property)'"
            )
        }
        let request = AggregateRequest(function, BoundPath(end: .property(found.id, found.type)))
        try check()
        return try realm.aggregate(query, [request])[0]
    }
}

/// Returns the body's result; converts errors of queries to misuse.
func throwingMisuse<R>(_ body: () throws(QueryError) -> R) throws -> R {
    do {
        return try body()
    } catch {
        throw RealmException(error.message)
    }
}

extension StoredType {
    /// The name of the type if nothing is ordered by it; nil for others. A map has values that something may be ordered
    /// by.
    fileprivate func unordered(isLast: Bool) -> String? {
        switch collection {
        case _ where isComputed: "linking objects"
        case .list: "array"
        case .set: "set"
        case .map: isLast ? "dictionary" : nil
        case .single: base == .data && isLast ? "data" : nil
        }
    }

    /// The type in messages: `int? property`, `date list`.
    var described: String {
        let kind =
            switch collection {
            case .single: "property"
            case .list: "list"
            case .set: "set"
            case .map: "dictionary"
            }
        return "\(PropertyKind(base).text)\(isOptional && !isMixed ? "?" : "") \(kind)"
    }

    /// Returns whether the aggregate supports values of the type: all for numbers, minimum and maximum for dates.
    func supports(_ function: AggregateRequest.Function) -> Bool {
        switch (base, function) {
        case (.int, _), (.float, _), (.double, _), (.decimal128, _), (.mixed, _): true
        case (.date, .minimum), (.date, .maximum): true
        default: false
        }
    }
}
