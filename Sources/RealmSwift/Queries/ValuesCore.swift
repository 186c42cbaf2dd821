import LiveQueries
import ObjectModel
import QueryLanguage
import StoreContract

/// What a `Results` of plain values leads to: the values of a list, set or map property, perhaps sorted or made
/// distinct, as they are at the realm's version or as the open write has made them.
final class ValuesCore: CollectionCore {
    enum Step: Hashable {
        /// By the total order of values; stable.
        case sort(ascending: Bool)
        /// Keeps the first of equal values.
        case distinct
    }

    let source: PropertyCore
    let steps: [Step]
    private var kept: [Value] = []
    private var known: ResultsCore.Moment?

    init(_ source: PropertyCore, _ steps: [Step] = []) throws {
        self.source = source
        self.steps = steps
    }

    var realm: RLMRealm { source.realm }
    var isInvalidated: Bool { source.isInvalidated }
    var elements: PropertyCore? { source }

    func objectQuery() throws -> BoundQuery? { nil }

    func count() throws -> Int { steps.contains(.distinct) ? try values().count : try source.count() }

    func value(at position: Int) throws -> Value {
        let values = try values()
        try checkIndex(position, values.count)
        return values[position]
    }

    func values() throws -> [Value] {
        try source.check()
        let moment = try ResultsCore.Moment(realm)
        if known != moment {
            kept = try steps.reduce(source.values()) { values, step in
                switch step {
                case .sort(let ascending): values.inOrder(ascending: ascending)
                case .distinct: values.distinct
                }
            }
            known = moment
        }
        return kept
    }

    /// The same values with one more step.
    func followed(by step: Step) throws -> ValuesCore { try ValuesCore(source, steps + [step]) }
}

extension [Value] {
    /// Equal values keep the order that they had.
    func inOrder(ascending: Bool) -> [Value] {
        enumerated().sorted { a, b in
            let order = Value.order(a.element, b.element)
            return order == 0 ? a.offset < b.offset : (order < 0) == ascending
        }.map(\.element)
    }

    /// The first of equal ones each, in the order in which they are.
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
