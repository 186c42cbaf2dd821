package import ObjectModel
package import QueryLanguage

/// The aggregates of one group of objects that come and go.
package struct GroupTally: Sendable {
    package enum Part: Sendable {
        case extreme(ExtremeTally)
        case sum(NumberTally)
        case average(NumberTally)
        /// While a part changes.
        case none

        /// Without values.
        package init(_ request: AggregateRequest) {
            self =
                switch request.function {
                case .minimum, .maximum: .extreme(ExtremeTally(isMinimum: request.function == .minimum))
                case .sum: .sum(NumberTally(of: request.path.valueType.base))
                case .average: .average(NumberTally(of: request.path.valueType.base))
                }
        }

        fileprivate mutating func merge(_ other: Part) {
            switch (self, other) {
            case (.extreme(var tally), .extreme(let other)):
                tally.merge(other)
                self = .extreme(tally)
            case (.sum(var tally), .sum(let other)):
                tally.merge(other)
                self = .sum(tally)
            case (.average(var tally), .average(let other)):
                tally.merge(other)
                self = .average(tally)
            default: break
            }
        }
    }

    /// The values of the first object.
    package let key: [Value]
    package private(set) var count = 0
    private var parts: [Part]

    package init(key: [Value], _ requests: [AggregateRequest]) {
        self.init(key: key, count: 0, requests.map { Part($0) })
    }

    /// - Parameter parts: those of `count` objects, in the order of the requests.
    package init(key: [Value], count: Int, _ parts: [Part]) {
        self.key = key
        self.count = count
        self.parts = parts
    }

    /// Adds the objects of another tally of the same requests.
    package mutating func merge(_ other: GroupTally) {
        count += other.count
        for (index, part) in zip(parts.indices, other.parts) { parts[index].merge(part) }
    }

    /// Adds an object; with `sign` -1 it removes one that was added.
    ///
    /// - Parameter values: in the order of the requests; nil where a link on the path is null.
    package mutating func add(_ values: ArraySlice<Value?>, sign: Int) {
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

    package enum Result {
        case group(AggregateGroup)
        /// A scan decides: the answer must be read.
        case ambiguous
        /// The tallies must be made again.
        case unknown
    }

    /// Throws `sumOverflow`.
    package func result(_ requests: [AggregateRequest]) throws -> Result {
        var results: [Value] = []
        results.reserveCapacity(parts.count)
        var isAmbiguous = false
        for index in parts.indices {
            switch try result(of: index, requests) {
            case .value(let value): results.append(value)
            case .ambiguous: isAmbiguous = true
            case .unknown: return .unknown
            }
        }
        return isAmbiguous ? .ambiguous : .group(AggregateGroup(key: key, count: count, results: results))
    }

    /// The result of one function. Throws `sumOverflow`.
    package func result(of index: Int, _ requests: [AggregateRequest]) throws -> ExtremeTally.Result {
        switch parts[index] {
        case .extreme(let tally): tally.result
        case .sum(let tally): try tally.total(isChecked: requests[index].isChecked).map { .value($0) } ?? .ambiguous
        case .average(let tally): tally.average.map { .value($0) } ?? .ambiguous
        case .none: .ambiguous
        }
    }
}
