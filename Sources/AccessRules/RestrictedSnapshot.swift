import ObjectModel
import QueryLanguage
import StoreContract

/// A snapshot as it exists for one caller.
final class RestrictedSnapshot: Snapshot {
    private let base: any Snapshot
    let access: BoundAccess
    private let targets: VisibleTargets

    init(_ base: any Snapshot, _ access: BoundAccess) {
        self.base = base
        self.access = access
        targets = VisibleTargets(base, access)
    }

    var version: Version { base.version }
    var tag: HistoryTag { base.tag }
    var schema: Schema { access.visibleSchema }

    private var mask: ValueMask { ValueMask { [targets] in try targets.contains($0) } }

    // MARK: Objects

    func count(of classID: ClassID) -> Int {
        switch access.access(classID).listed {
        case .constant(true): base.count(of: classID)
        case .constant(false): 0
        case let rule: (try? base.count(BoundQuery(classID: classID, predicate: rule))) ?? 0
        }
    }

    func exists(_ classID: ClassID, _ key: ObjectKey) throws -> Bool {
        guard schema[classID] != nil else { return false }
        return try targets.contains(ObjectReference(classID, key))
    }

    func key(of classID: ClassID, primaryKey: Value) throws -> ObjectKey? {
        guard schema[classID] != nil, let key = try base.key(of: classID, primaryKey: primaryKey) else { return nil }
        return try targets.contains(ObjectReference(classID, key)) ? key : nil
    }

    func value(_ classID: ClassID, _ key: ObjectKey, _ property: PropertyID) throws -> Value {
        let found = try self.property(property, of: classID, key)
        let value = try base.value(classID, key, property)
        return access.hides(found) ? try mask.shown(value, of: found) : value
    }

    func elementCount(_ classID: ClassID, _ key: ObjectKey, _ property: PropertyID) throws -> Int {
        let found = try self.property(property, of: classID, key)
        guard access.leavesElementsOut(found) else { return try base.elementCount(classID, key, property) }
        return try visibleElements(classID, key, found).count
    }

    func elements(
        _ classID: ClassID, _ key: ObjectKey, _ property: PropertyID, _ range: Range<Int>
    ) throws -> [Value] {
        let found = try self.property(property, of: classID, key)
        if access.leavesElementsOut(found) {
            let all = try visibleElements(classID, key, found)
            return Array(all[range.clamped(to: all.indices)])
        }
        let elements = try base.elements(classID, key, property, range)
        return access.hides(found) ? try elements.map { try mask.shownElement($0, found) } : elements
    }

    func backlinks(to target: ObjectReference, from origin: ClassID, _ property: PropertyID) throws -> [ObjectKey] {
        guard schema[origin]?[property] != nil else { throw Self.unknownProperty }
        guard try exists(target.classID, target.key) else { return [] }
        return try targets.filter(try base.backlinks(to: target, from: origin, property), of: origin)
    }

    private func visibleElements(_ classID: ClassID, _ key: ObjectKey, _ property: PropertySchema) throws -> [Value] {
        let count = try base.elementCount(classID, key, property.id)
        let elements = try base.elements(classID, key, property.id, 0..<count)
        if let target = property.targetClass {
            _ = try targets.filter(elements.flatMap(\.linkedKeys), of: target)
        }
        return try elements.filter { try $0.isNull || !mask.shownElement($0, property).isNull }
    }

    /// The property of an object, both of which must be there.
    private func property(_ id: PropertyID, of classID: ClassID, _ key: ObjectKey) throws -> PropertySchema {
        guard let objectClass = schema[classID] else {
            throw StoreError(.unknownClass, "There is no class number \(classID.rawValue).")
        }
        guard let property = objectClass[id] else { throw Self.unknownProperty }
        guard try exists(classID, key) else {
            throw StoreError(.notFound, "There is no object of class '\(objectClass.name)' with that key.")
        }
        return property
    }

    private static let unknownProperty = StoreError(.unknownProperty, "There is no such property.")

    // MARK: Rows

    func read<Sink: RowSink>(
        _ classID: ClassID, _ keys: [ObjectKey], _ properties: [PropertyID], into sink: inout Sink
    ) throws {
        guard let objectClass = schema[classID] else {
            throw StoreError(.unknownClass, "There is no class number \(classID.rawValue).")
        }
        let columns = try properties.map { id in
            guard let property = objectClass[id] else { throw Self.unknownProperty }
            return property
        }
        let there = try targets.filter(keys, of: classID)
        guard columns.contains(where: { access.hides($0) }) else {
            return try base.read(classID, there, properties, into: &sink)
        }
        var masking = MaskingSink(sink, columns.map { access.hides($0) ? $0 : nil }, mask)
        try lookAhead(classID, there, columns)
        try base.read(classID, there, properties, into: &masking)
        sink = masking.sink
        if let fault = masking.fault { throw fault }
    }

    /// Finds out about all objects that single links lead to, in one query for each class.
    private func lookAhead(_ classID: ClassID, _ keys: [ObjectKey], _ columns: [PropertySchema]) throws {
        let links = columns.filter { $0.type.isToOneLink && access.hides($0) }
        guard keys.count > 4, !links.isEmpty else { return }
        var collector = TargetCollector(links.map { $0.targetClass })
        try base.read(classID, keys, links.map(\.id), into: &collector)
        for (target, keys) in collector.found { _ = try targets.filter(Array(keys), of: target) }
    }

    // MARK: Queries

    /// Nil when there is nothing to ask for: the object whose property is the scope is not there.
    private func restricted(_ query: BoundQuery) throws -> BoundQuery? {
        if case .property(let holder, let property) = query.scope {
            guard schema[holder.classID]?[property] != nil, try targets.contains(holder) else { return nil }
        }
        return access.restrict(query)
    }

    func select(_ query: BoundQuery, _ window: Window) throws -> [ObjectKey] {
        guard let query = try restricted(query) else { return [] }
        let keys = try base.select(query, window)
        // Whoever selects reads next what was found. That an owner leads to an embedded object does not yet mean that
        // the object is there for others.
        if query.scope == .all || schema[query.classID]?.isEmbedded == false {
            targets.note(visible: keys, of: query.classID)
        }
        return keys
    }

    func matches(_ query: BoundQuery, _ key: ObjectKey) throws -> Bool {
        // The scope is not looked at, so its holder does not matter.
        guard try exists(query.classID, key) else { return false }
        return try base.matches(access.restrict(query), key)
    }

    func sortValues(_ keys: [SortKey], of key: ObjectKey, in classID: ClassID) throws -> [Value?] {
        try base.sortValues(keys.map { access.restrict($0) }, of: key, in: classID)
    }

    func count(_ query: BoundQuery) throws -> Int {
        guard let query = try restricted(query) else { return 0 }
        return try base.count(query)
    }

    func aggregate(_ query: BoundQuery, _ requests: [AggregateRequest]) throws -> [Value] {
        try base.aggregate(try orNothing(query), requests.map { access.restrict($0) })
    }

    func aggregate(
        _ object: ObjectReference, _ property: PropertyID, _ functions: [AggregateRequest.Function]
    ) throws -> [Value] {
        let found = try self.property(property, of: object.classID, object.key)
        let results = try base.aggregate(object, property, functions)
        guard access.hides(found) else { return results }
        // Sums and averages are of numbers, which nothing hides.
        let count = try base.elementCount(object.classID, object.key, property)
        let shown = try base.elements(object.classID, object.key, property, 0..<count)
            .map { try mask.shownElement($0, found) }.filter { !$0.isNull && !$0.isNoNumber }
        return zip(functions, results).map { function, result in
            switch function {
            case .minimum: shown.min { Value.order($0, $1) < 0 } ?? .null
            case .maximum: shown.max { Value.order($0, $1) < 0 } ?? .null
            case .sum, .average: result
            }
        }
    }

    func aggregate(
        _ query: BoundQuery, _ requests: [AggregateRequest], by paths: [BoundPath]
    ) throws -> [AggregateGroup] {
        try base.aggregate(
            try orNothing(query), requests.map { access.restrict($0) }, by: paths.map { access.restrict($0) })
    }

    func sections(_ query: BoundQuery, by key: SectionKey) throws -> SectionedKeys {
        guard let query = try restricted(query) else { return SectionedKeys(sections: [], keys: []) }
        return try base.sections(query, by: access.restrict(key))
    }

    func explain(_ query: BoundQuery, _ window: Window, running: Bool) throws -> QueryExplanation {
        throw StoreError(
            .accessDenied, "How a query is run tells of objects that are hidden from you. Ask an administrator.")
    }

    private func orNothing(_ query: BoundQuery) throws -> BoundQuery {
        try restricted(query) ?? BoundQuery(classID: query.classID, predicate: .constant(false))
    }
}

extension Value {
    fileprivate var isNoNumber: Bool {
        switch self {
        case .float(let number): number.isNaN
        case .double(let number): number.isNaN
        case .decimal(let number): number.isNaN
        default: false
        }
    }
}
