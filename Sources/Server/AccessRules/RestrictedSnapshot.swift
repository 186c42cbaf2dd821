import ObjectModel
import QueryLanguage
import StoreContract

/// A snapshot as one caller sees it.
final class RestrictedSnapshot: RestrictingReads, Snapshot {
    private let whole: any Snapshot
    let access: BoundAccess
    let targets: VisibleTargets

    init(_ whole: any Snapshot, _ access: BoundAccess) {
        self.whole = whole
        self.access = access
        targets = VisibleTargets(whole, access)
    }

    var base: any ObjectReads { whole }

    func limited(by budget: QueryBudget) throws -> any Snapshot {
        RestrictedSnapshot(try whole.limited(by: budget), access)
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
            let count = try whole.read(classID, there, properties, into: &sink)
            return sink.isFull ? Self.end(of: count, among: there, in: keys) : keys.count
        }
        var masking = RedactingSink(sink, columns.map { access.hides($0) ? $0 : nil }, redaction)
        try lookAhead(classID, there, columns)
        let count = try whole.read(classID, there, properties, into: &masking)
        sink = masking.sink
        if let fault = masking.fault { throw fault }
        return sink.isFull ? Self.end(of: count, among: there, in: keys) : keys.count
    }

    /// Returns the index in `keys` after which the first `count` visible keys end.
    private static func end(of count: Int, among there: [ObjectKey], in keys: [ObjectKey]) -> Int {
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
        try whole.read(classID, keys, links.map(\.id), into: &collector)
        for (target, keys) in collector.found { _ = try targets.filter(Array(keys), of: target) }
    }

    // MARK: Queries

    func aggregate(
        _ object: ObjectReference, _ property: PropertyID, _ functions: [AggregateRequest.Function]
    ) throws -> [Value] {
        let found = try self.property(property, of: object.classID, object.key)
        let results = try whole.aggregate(object, property, functions)
        guard access.hides(found) else { return results }
        // Sums and averages are of numbers, which nothing hides.
        let count = try whole.elementCount(object.classID, object.key, property)
        let shown = try whole.elements(object.classID, object.key, property, 0..<count)
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
        try whole.aggregate(
            restrictedOrEmpty(query), requests.map { access.restrict($0) }, by: paths.map { access.restrict($0) })
    }

    func distribution(
        _ query: BoundQuery, of path: BoundPath, bounds: (ClosedRange<Double>) -> [Double]
    ) throws -> ValueDistribution {
        try whole.distribution(restrictedOrEmpty(query), of: access.restrict(path), bounds: bounds)
    }

    func tallies(
        _ query: BoundQuery, _ requests: [AggregateRequest], by paths: [BoundPath], most: Int
    ) throws -> GroupTalliesResult {
        try whole.tallies(
            restrictedOrEmpty(query), requests.map { access.restrict($0) }, by: paths.map { access.restrict($0) },
            most: most)
    }

    func scale(_ query: BoundQuery, of path: BoundPath) throws -> ScaleTally? {
        try whole.scale(restrictedOrEmpty(query), of: access.restrict(path))
    }

    func explain(_ query: BoundQuery, _ window: Window, running: Bool) throws -> QueryExplanation {
        throw StoreError(
            .accessDenied, "A query plan would reveal objects that are hidden from you. Ask an administrator.")
    }

    /// Nil, because it would count them.
    func testedObjects(_ query: BoundQuery, assumingIndexOf property: PropertyID) -> Int? { nil }
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
