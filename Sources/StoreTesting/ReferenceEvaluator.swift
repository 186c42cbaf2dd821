package import ObjectModel
package import QueryLanguage

/// Evaluates bound queries one object and one value at a time, straight from the rules of the query language. It
/// shares nothing with the executor, so it can tell whether the executor is right.
package struct ReferenceEvaluator<Source: RowSource> {
    package let source: Source

    package init(_ source: Source) { self.source = source }

    /// The objects that the query gives, in its order, cut to the window.
    package func select(_ query: BoundQuery, _ window: Window = .all) throws -> [ObjectKey] {
        var keys = try result(of: query)
        if let cursor = window.after {
            let sort = query.steps.reversed().lazy.compactMap(\.sortKeys).first ?? []
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

    /// Whether the object exists and satisfies the predicate; the query's steps are not looked at.
    package func matches(_ query: BoundQuery, _ key: ObjectKey) throws -> Bool {
        guard try source.exists(query.classID, key) else { return false }
        return try holds(query.predicate, for: key, in: query.classID)
    }

    /// The values that an object is sorted by: nil where a link on the way is null.
    package func sortValues(_ keys: [SortKey], of key: ObjectKey, in classID: ClassID) throws -> [Value?] {
        try keys.map { try singleValue(of: $0.path, from: key, in: classID) }
    }

    /// The order of two objects by their sort values. A null link on the way is above every value and null is below
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

    /// What the query gives before any window.
    private func result(of query: BoundQuery) throws -> [ObjectKey] {
        var keys = try source.keys(of: query.classID).filter {
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
            guard values.count == found.count else { continue }
            let isKnown = seen.contains { other in
                zip(other, values).allSatisfy { Value.order($0, $1) == 0 }
            }
            guard !isKnown else { continue }
            seen.append(values)
            kept.append(key)
        }
        return kept
    }

    private func holds(_ predicate: BoundPredicate, for key: ObjectKey, in classID: ClassID) throws -> Bool {
        switch predicate {
        case .constant(let value): value
        case .comparison(let comparison): try holds(comparison, for: key, in: classID)
        case .between, .fullText, .geoWithin: false
        case .not(let inner): try !holds(inner, for: key, in: classID)
        case .and(let parts): try parts.allSatisfy { try holds($0, for: key, in: classID) }
        case .or(let parts): try parts.contains { try holds($0, for: key, in: classID) }
        }
    }

    private func holds(_ comparison: BoundComparison, for key: ObjectKey, in classID: ClassID) throws -> Bool {
        let left = try operandValues(comparison.left, for: key, in: classID)
        let right = try operandValues(comparison.right, for: key, in: classID)
        return quantified(left, comparison.left.isToMany ? comparison.leftQuantifier : .any) { leftValue in
            quantified(right, comparison.right.isToMany ? comparison.rightQuantifier : .any) { rightValue in
                ReferenceComparison.holds(
                    leftValue, comparison.operator, rightValue, ignoresCase: comparison.ignoresCase)
            }
        }
    }

    private func quantified(_ values: [Value], _ quantifier: Quantifier, _ test: (Value) -> Bool) -> Bool {
        switch quantifier {
        case .any: values.contains(where: test)
        case .all: values.allSatisfy(test)
        case .none: !values.contains(where: test)
        }
    }

    private func operandValues(
        _ operand: BoundOperand, for key: ObjectKey, in classID: ClassID
    ) throws -> [Value] {
        switch operand {
        case .constant(let value): [value]
        case .list(let values): values
        case .objects, .aggregate, .subquery, .arithmetic: []
        case .path(let path):
            if path.isToMany {
                try values(of: path, from: key, in: classID)
            } else {
                [try singleValue(of: path, from: key, in: classID) ?? .null]
            }
        }
    }
}

extension ReferenceEvaluator {
    /// The value of a path without to-many steps: nil when a link on the way is null. The last link of a path that
    /// ends in an object is the value, not on the way: null then is a value.
    package func singleValue(of path: BoundPath, from key: ObjectKey, in classID: ClassID) throws -> Value? {
        if case .object = path.end, case .forward(let property, let target)? = path.links.last {
            let holders = try objects(along: path.links.dropLast(), from: key, in: classID)
            guard let holder = holders.objects.first else { return nil }
            guard case .link(let linked) = try source.value(holders.classID, holder, property) else { return .null }
            return .reference(ObjectReference(target, linked))
        }
        if case .count = path.end {
            return .int(Int64(try objects(along: path.links[...], from: key, in: classID).objects.count))
        }
        return try values(of: path, from: key, in: classID).first
    }

    /// The values of a path, one per object that the links lead to, in the order in which they are met. A null link
    /// leads to no object, so it adds no value.
    package func values(of path: BoundPath, from key: ObjectKey, in classID: ClassID) throws -> [Value] {
        let end = try objects(along: path.links[...], from: key, in: classID)
        switch path.end {
        case .property(let property, _): return try end.objects.map { try source.value(end.classID, $0, property) }
        case .object: return end.objects.map { .reference(ObjectReference(end.classID, $0)) }
        case .count: return [.int(Int64(end.objects.count))]
        }
    }

    private func objects(
        along links: ArraySlice<LinkStep>, from key: ObjectKey, in classID: ClassID
    ) throws -> (classID: ClassID, objects: [ObjectKey]) {
        var classID = classID
        var objects = [key]
        for link in links {
            switch link {
            case .forward(let property, let target):
                objects = try objects.compactMap {
                    guard case .link(let next) = try source.value(classID, $0, property) else { return nil }
                    return next
                }
                classID = target
            case .elements(_, let target, _):
                classID = target
            case .backward(let origin, let property):
                objects = try objects.flatMap { try source.backlinks(to: $0, from: origin, property) }
                classID = origin
            }
        }
        return (classID, objects)
    }
}

extension ReferenceEvaluator: Sendable where Source: Sendable {}

extension ResultStep {
    fileprivate var sortKeys: [SortKey]? {
        if case .sort(let keys) = self { return keys }
        return nil
    }
}
