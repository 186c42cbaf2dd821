package import ObjectModel
package import QueryLanguage

/// Evaluates bound queries one object and one value at a time, literally by the rules of the query language. It shares
/// nothing with the executor, so it can check the executor.
package struct ReferenceEvaluator<Source: RowSource> {
    package let source: Source
    let incoming = IncomingLinkTable()

    /// The source must not change while the evaluator is used.
    package init(_ source: Source) { self.source = source }

    /// The keys of the query's result, in its order, cut to the window.
    package func select(_ query: BoundQuery, _ window: Window = .all) throws -> [ObjectKey] {
        var keys = try result(of: query)
        if let cursor = window.after {
            // The last sort decides, then the one before it.
            let sort = query.steps.reversed().compactMap(\.sortKeys).flatMap(\.self)
            keys = try keys.filter { key in
                let values = try sortValues(sort, of: key, in: query.classID)
                let order = Self.order(values, cursor.values, by: sort)
                return order > 0 || (order == 0 && key > cursor.key)
            }
        }
        keys.removeFirst(min(max(window.offset, 0), keys.count))
        if let limit = window.limit { keys = Array(keys.prefix(max(limit, 0))) }
        return keys
    }

    package func count(_ query: BoundQuery) throws -> Int { try result(of: query).count }

    /// Whether the object exists and satisfies the predicate; the query's scope and steps are ignored.
    package func matches(_ query: BoundQuery, _ key: ObjectKey) throws -> Bool {
        guard try source.exists(query.classID, key) else { return false }
        return try holds(query.predicate, for: key, in: query.classID)
    }

    /// The values that an object is sorted by; nil where a link on the path is null.
    package func sortValues(_ keys: [SortKey], of key: ObjectKey, in classID: ClassID) throws -> [Value?] {
        try keys.map { try singleValue(of: $0.path, from: key, in: classID) }
    }

    /// The order of two objects by their sort values. A null link on the path is above every value and null is below
    /// every value, so that descending reverses both.
    package static func order(_ a: [Value?], _ b: [Value?], by keys: [SortKey]) -> Int {
        for (index, key) in keys.enumerated() {
            let order =
                switch (a[index], b[index]) {
                case (nil, nil): 0
                case (nil, _?): 1
                case (_?, nil): -1
                case (let left?, let right?): Value.order(left, right)
                }
            if order != 0 { return key.isAscending ? order : -order }
        }
        return 0
    }

    /// The query's result before any window.
    private func result(of query: BoundQuery) throws -> [ObjectKey] {
        var keys = try objects(in: query.scope, of: query.classID).filter {
            try holds(query.predicate, for: $0, in: query.classID)
        }
        for step in query.steps {
            switch step {
            case .sort(let sort): keys = try sorted(keys, by: sort, in: query.classID)
            case .distinct(let paths): keys = try distinct(keys, by: paths, in: query.classID)
            case .limit(let count): keys = Array(keys.prefix(max(count, 0)))
            }
        }
        return keys
    }

    private func objects(in scope: QueryScope, of classID: ClassID) throws -> [ObjectKey] {
        switch scope {
        case .all: return try source.keys(of: classID)
        case .property(let holder, let id):
            guard let property = source.schema[holder.classID]?[id],
                try source.exists(holder.classID, holder.key)
            else { return [] }
            if let origin = property.targetClass, let link = property.originProperty {
                return try incoming.origins(
                    to: holder.key, of: holder.classID, from: origin, link, in: source)
            }
            return try source.value(holder.classID, holder.key, id).linkedKeys
        }
    }

    private func sorted(_ keys: [ObjectKey], by sort: [SortKey], in classID: ClassID) throws -> [ObjectKey] {
        let rows = try keys.enumerated().map { position, key in
            (key: key, values: try sortValues(sort, of: key, in: classID), position: position)
        }
        // Positions break ties, so that the sort is stable whatever the library's is.
        return rows.sorted { a, b in
            let order = Self.order(a.values, b.values, by: sort)
            return order != 0 ? order < 0 : a.position < b.position
        }.map(\.key)
    }

    private func distinct(_ keys: [ObjectKey], by paths: [BoundPath], in classID: ClassID) throws -> [ObjectKey] {
        var seen: [[Value]] = []
        var kept: [ObjectKey] = []
        for key in keys {
            let found = try paths.map { try singleValue(of: $0, from: key, in: classID) }
            let values = found.compactMap(\.self)
            guard values.count == found.count, !seen.contains(where: { Self.areAlike($0, values) }) else { continue }
            seen.append(values)
            kept.append(key)
        }
        return kept
    }

    /// Whether the values are equal, one by one, in the total order.
    static func areAlike(_ a: [Value], _ b: [Value]) -> Bool {
        a.count == b.count && zip(a, b).allSatisfy { Value.order($0, $1) == 0 }
    }
}

extension ReferenceEvaluator: Sendable where Source: Sendable {}

extension ResultStep {
    fileprivate var sortKeys: [SortKey]? {
        if case .sort(let keys) = self { return keys }
        return nil
    }
}
