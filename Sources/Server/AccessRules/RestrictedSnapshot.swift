import ObjectModel
import QueryLanguage
import StoreContract

/// A snapshot as one caller sees it.
final class RestrictedSnapshot: RestrictingReads, Snapshot {
    private let base: any Snapshot
    let access: BoundAccess
    let targets: VisibleTargets

    init(_ base: any Snapshot, _ access: BoundAccess) {
        self.base = base
        self.access = access
        targets = VisibleTargets(base, access)
    }

    var origin: any ObjectReads { base }
    var budget: QueryBudget? { base.budget }

    func limited(by budget: QueryBudget) throws -> any Snapshot {
        RestrictedSnapshot(try base.limited(by: budget), access)
    }

    func count(of classID: ClassID) -> Int {
        switch access.access(classID).listed {
        case .constant(true): base.count(of: classID)
        case .constant(false): 0
        case let rule: (try? base.count(BoundQuery(classID: classID, predicate: rule))) ?? 0
        }
    }

    // MARK: Rows

    func read<Sink: RowSink>(
        _ classID: ClassID, _ keys: [ObjectKey], _ properties: [PropertyID], into sink: inout Sink
    ) throws -> Int {
        guard let objectClass = schema[classID] else {
            throw StoreError(.unknownClass, "There is no class number \(classID.rawValue).")
        }
        let columns = try properties.map { id in
            guard let property = objectClass[id] else { throw Self.unknownProperty }
            return property
        }
        let there = try targets.filter(keys, of: classID)
        guard columns.contains(where: { access.hides($0) }) else {
            let count = try base.read(classID, there, properties, into: &sink)
            return sink.isFull ? Self.place(of: count, among: there, in: keys) : keys.count
        }
        var masking = RedactingSink(sink, columns.map { access.hides($0) ? $0 : nil }, redaction)
        try lookAhead(classID, there, columns)
        let count = try base.read(classID, there, properties, into: &masking)
        sink = masking.sink
        if let fault = masking.fault { throw fault }
        return sink.isFull ? Self.place(of: count, among: there, in: keys) : keys.count
    }

    /// Returns the index in `keys` after which the first `count` visible keys end.
    private static func place(of count: Int, among there: [ObjectKey], in keys: [ObjectKey]) -> Int {
        var found = 0
        return keys.firstIndex { key in
            if found == count { return true }
            if key == there[found] { found += 1 }
            return false
        } ?? keys.count
    }

    /// Determines the visibility of all targets of to-one links, with one query for each class.
    private func lookAhead(_ classID: ClassID, _ keys: [ObjectKey], _ columns: [PropertySchema]) throws {
        let links = columns.filter { $0.type.isToOneLink && access.hides($0) }
        guard keys.count > 4, !links.isEmpty else { return }
        var collector = TargetCollector(links.map { $0.targetClass })
        try base.read(classID, keys, links.map(\.id), into: &collector)
        for (target, keys) in collector.found { _ = try targets.filter(Array(keys), of: target) }
    }

    // MARK: Queries

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
            .map { try redaction.shownElement($0, found) }.filter { !$0.isNull && !$0.isNoNumber }
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
            .accessDenied, "A query plan would reveal objects that are hidden from you. Ask an administrator.")
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
