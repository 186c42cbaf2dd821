import ObjectModel
import QueryLanguage
import StoreContract

/// The aggregates of one group of objects that come and go.
struct GroupTally: Sendable {
    private enum Part {
        case extreme(ExtremeTally)
        case sum(NumberTally)
        case average(NumberTally)
        /// While a part changes.
        case none
    }

    /// The values of the first object.
    let key: [Value]
    private(set) var count = 0
    private var parts: [Part]

    init(key: [Value], _ requests: [AggregateRequest]) {
        self.key = key
        parts = requests.map { request in
            switch request.function {
            case .minimum, .maximum: .extreme(ExtremeTally(isMinimum: request.function == .minimum))
            case .sum: .sum(NumberTally(of: request.path.valueType.base))
            case .average: .average(NumberTally(of: request.path.valueType.base))
            }
        }
    }

    /// Adds an object; with `sign` -1 it removes one that was added.
    ///
    /// - Parameter values: in the order of the requests; nil where a link on the path is null.
    mutating func add(_ values: ArraySlice<Value?>, sign: Int) {
        count += sign
        for (index, value) in zip(parts.indices, values) {
            guard let value else { continue }
            // Taken out, so that it is not copied when it changes.
            let part = parts[index]
            parts[index] = .none
            switch consume part {
            case .extreme(var tally):
                if sign > 0 { tally.add(value) } else { tally.remove(value) }
                parts[index] = .extreme(tally)
            case .sum(var tally):
                tally.add(value, sign: sign)
                parts[index] = .sum(tally)
            case .average(var tally):
                tally.add(value, sign: sign)
                parts[index] = .average(tally)
            case .none: break
            }
        }
    }

    enum Result {
        case group(AggregateGroup)
        /// A scan decides: the answer must be read.
        case ambiguous
        /// The tallies must be made again.
        case unknown
    }

    /// Throws `sumOverflow`.
    func result(_ requests: [AggregateRequest]) throws -> Result {
        var results: [Value] = []
        results.reserveCapacity(parts.count)
        var isAmbiguous = false
        for (part, request) in zip(parts, requests) {
            let result: Value?
            switch part {
            case .extreme(let tally):
                switch tally.result {
                case .value(let value): result = value
                case .ambiguous: result = nil
                case .unknown: return .unknown
                }
            case .sum(let tally): result = try tally.total(isChecked: request.isChecked)
            case .average(let tally): result = tally.average
            case .none: result = nil
            }
            if let result { results.append(result) } else { isAmbiguous = true }
        }
        return isAmbiguous ? .ambiguous : .group(AggregateGroup(key: key, count: count, results: results))
    }
}
