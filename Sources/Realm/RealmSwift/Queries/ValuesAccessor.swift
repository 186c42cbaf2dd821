import ViewMaintenance
import LiveQueries
import ObjectModel
import QueryLanguage
import RealmInstances
import StoreContract

/// The implementation of `Results` of plain values: the values of a list, set or map, optionally filtered, sorted
/// or made distinct, at the realm's version or with the changes of the open write.
final class ValuesAccessor: CollectionAccessor {
    typealias Step = CollectionReferencePayload.ValueStep

    let source: any ValuesSource
    /// The steps. Sorts use the total order of values, and are stable; a distinct keeps the first of equal values.
    let steps: [Step]
    private var cached: [Value] = []
    private var known: ResultsAccessor.Moment?

    init(_ source: any ValuesSource, _ steps: [Step] = []) {
        self.source = source
        self.steps = steps
    }

    var realm: RLMRealm { source.realm }
    var isInvalidated: Bool { source.isInvalidated }
    var elements: (any ValuesSource)? { source }

    func check() throws { try source.check() }

    func objectQuery() throws -> BoundQuery? { nil }

    func count() throws -> Int { steps.contains(where: \.selects) ? try values().count : try source.count() }

    func value(at position: Int) throws -> Value {
        let values = try values()
        try checkIndex(position, values.count)
        return values[position]
    }

    func values() throws -> [Value] {
        try source.check()
        let moment = try ResultsAccessor.Moment(realm)
        if known != moment {
            let values = try source.values()
            cached = try order(of: values).map { values[$0] }
            known = moment
        }
        return cached
    }

    /// The positions of the source's values that the steps keep, in the order of the results.
    func order(of values: [Value]) throws -> [Int] {
        try steps.reduce(Array(values.indices)) { order, step in
            switch step {
            case .sort(let ascending): values.sorted(order, ascending: ascending)
            case .distinct: values.distinct(order)
            case .filter(let condition): try condition.positions(in: order.map { values[$0] }).map { order[$0] }
            }
        }
    }

    func payload() throws -> CollectionReferencePayload {
        try steps.isEmpty ? source.payload() : .values(source.payload(), steps)
    }

    func keyPaths(_ texts: [String]?) throws -> [LiveKeyPath] { try source.keyPaths(texts) }

    /// Reports positions after the steps.
    func observe(_ keyPaths: [String]?, _ deliver: @escaping (CollectionNotification) -> Void) throws -> InstanceToken {
        if steps.isEmpty { return try source.observe(keyPaths, deliver) }
        return try ValuesObservation(self).begin(keyPaths, deliver)
    }

    /// Adds a condition.
    func filtered(_ predicate: PredicateForm) throws -> ValuesAccessor {
        followed(by: .filter(try source.condition(predicate)))
    }

    /// Returns the first position of a value that satisfies the predicate.
    func position(matching predicate: PredicateForm) throws -> Int? {
        try source.condition(predicate).positions(in: values()).first
    }

    /// Adds a step.
    func followed(by step: Step) -> ValuesAccessor { ValuesAccessor(source, steps + [step]) }
}

extension [Value] {
    /// Returns positions sorted by their values; the sort is stable.
    fileprivate func sorted(_ positions: [Int], ascending: Bool) -> [Int] {
        positions.enumerated().sorted { a, b in
            let order = Value.order(self[a.element], self[b.element])
            return order == 0 ? a.offset < b.offset : (order < 0) == ascending
        }.map(\.element)
    }

    /// Returns the first position of each set of equal values, in the present order.
    fileprivate func distinct(_ positions: [Int]) -> [Int] {
        let sorted = positions.enumerated().sorted { a, b in
            let order = Value.order(self[a.element], self[b.element])
            return order == 0 ? a.offset < b.offset : order < 0
        }
        var distinct: [(offset: Int, element: Int)] = []
        for entry in sorted where distinct.last.map({ Value.order(self[$0.element], self[entry.element]) != 0 }) ?? true
        {
            distinct.append(entry)
        }
        return distinct.sorted { $0.offset < $1.offset }.map(\.element)
    }
}
