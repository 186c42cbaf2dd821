import Columnar
import ObjectModel
import QueryLanguage
import StoreContract

/// Aggregates of groups of objects that have equal values at some paths. Used by one thread at a time.
final class Grouping {
    private struct Group {
        var key: [Value]
        var count = 0
        var states: [AggregateState]
    }

    private let readers: [PathReader]
    private let valueReaders: [PathReader]
    private let empty: [AggregateState]
    private var numbers: [[Value]: Int] = [:]
    private var groups: [Group] = []

    init(_ requests: [AggregateRequest], by paths: [BoundPath], on classID: ClassID, in source: any ColumnSource) {
        readers = paths.map { PathReader($0, from: classID, in: source) }
        valueReaders = requests.map { PathReader($0.path, from: classID, in: source) }
        empty = requests.map { AggregateState($0.function, of: $0.path.valueBase) }
    }

    func add(_ key: ObjectKey) throws {
        let values = try readers.map { try $0.single(key) ?? .null }
        let forms = values.map(\.distinctForm)
        let number: Int
        if let known = numbers[forms] {
            number = known
        } else {
            number = groups.count
            numbers[forms] = number
            groups.append(Group(key: values, states: empty))
        }
        groups[number].count += 1
        for (index, reader) in valueReaders.enumerated() {
            if let value = try reader.single(key) { groups[number].states[index].add(value) }
        }
    }

    /// Ascending by their keys.
    var results: [AggregateGroup] {
        groups.map { AggregateGroup(key: $0.key, count: $0.count, results: $0.states.map(\.result)) }
            .sorted { left, right in
                for (a, b) in zip(left.key, right.key) {
                    let order = Value.order(a, b)
                    if order != 0 { return order < 0 }
                }
                return false
            }
    }
}
