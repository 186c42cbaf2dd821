import ViewMaintenance
import LiveQueries
import ObjectModel
import QueryLanguage
import RealmInstances
import StoreContract

/// The implementation of `Results` of plain values: the values of a list, set or map property, optionally filtered,
/// sorted or made distinct, at the realm's version or with the changes of the open write.
final class ValuesAccessor: CollectionAccessor {
    typealias Step = CollectionReferencePayload.ValueStep

    let source: PropertyAccessor
    /// The steps. Sorts use the total order of values, and are stable; a distinct keeps the first of equal values.
    let steps: [Step]
    private var kept: [Value] = []
    private var known: ResultsAccessor.Moment?

    init(_ source: PropertyAccessor, _ steps: [Step] = []) throws {
        self.source = source
        self.steps = steps
    }

    var realm: RLMRealm { source.realm }
    var isInvalidated: Bool { source.isInvalidated }
    var elements: PropertyAccessor? { source }

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
            kept = try steps.reduce(source.values()) { values, step in
                switch step {
                case .sort(let ascending): values.inOrder(ascending: ascending)
                case .distinct: values.distinct
                case .filter(let condition): try condition.positions(in: values).map { values[$0] }
                }
            }
            known = moment
        }
        return kept
    }

    func payload() throws -> CollectionReferencePayload {
        steps.isEmpty ? try source.payload() : .values(source.owner, column: source.property.column, steps)
    }

    /// Reports positions after the steps. A changed value is reported as a deletion and an insertion.
    func observe(_ keyPaths: [String]?, _ deliver: @escaping (CollectionNotification) -> Void) throws -> InstanceToken {
        if steps.isEmpty { return try source.observe(nil, deliver) }
        var before: [Value] = []
        return try source.observe(nil) { [self] news in
            let after = (try? values()) ?? []
            defer { before = after }
            if case .initial = news { return deliver(.initial) }
            var deletions: [Int] = []
            var insertions: [Int] = []
            for change in after.difference(from: before, by: { Value.order($0, $1) == 0 }) {
                switch change {
                case .remove(let offset, _, _): deletions.append(offset)
                case .insert(let offset, _, _): insertions.append(offset)
                }
            }
            guard !deletions.isEmpty || !insertions.isEmpty else { return }
            deliver(
                .update(.positions(IndexChanges(deletions: deletions.sorted(), insertions: insertions.sorted()))))
        }
    }

    /// Adds a condition.
    func filtered(_ predicate: PredicateForm) throws -> ValuesAccessor {
        try followed(by: .filter(condition(predicate)))
    }

    /// Returns the first position of a value that satisfies the predicate.
    func position(matching predicate: PredicateForm) throws -> Int? {
        try condition(predicate).positions(in: values()).first
    }

    private func condition(_ predicate: PredicateForm) throws -> ValueCondition {
        let holder = realm.models.schema[source.owner.classID]
        guard let holder, let property = holder[source.property.id] else { throw RealmException.invalidObject }
        return try ValueCondition(predicate, on: property, of: holder, in: realm)
    }

    /// Adds a step.
    func followed(by step: Step) throws -> ValuesAccessor { try ValuesAccessor(source, steps + [step]) }
}

extension [Value] {
    /// Returns the values sorted; the sort is stable.
    func inOrder(ascending: Bool) -> [Value] {
        enumerated().sorted { a, b in
            let order = Value.order(a.element, b.element)
            return order == 0 ? a.offset < b.offset : (order < 0) == ascending
        }.map(\.element)
    }

    /// The first of each set of equal values, in the present order.
    var distinct: [Value] {
        let sorted = enumerated().sorted { a, b in
            let order = Value.order(a.element, b.element)
            return order == 0 ? a.offset < b.offset : order < 0
        }
        var kept: [(offset: Int, element: Value)] = []
        for entry in sorted where kept.last.map({ Value.order($0.element, entry.element) != 0 }) ?? true {
            kept.append(entry)
        }
        return kept.sorted { $0.offset < $1.offset }.map(\.element)
    }
}
