import Columnar
import ObjectModel
import QueryLanguage

/// `nums.@sum` of one object after the other. Used by one thread at a time.
final class RowAggregate {
    private let reader: PathReader
    private let empty: AggregateState
    private let isChecked: Bool
    /// The last result, whose view has been handed out.
    private var last = ConstantView(.null)

    init(_ aggregate: BoundAggregate, on classID: ClassID, in source: any ColumnSource) {
        reader = PathReader(aggregate.path, from: classID, in: source)
        empty = AggregateState(aggregate.function, of: aggregate.path.valueType.base)
        isChecked = aggregate.isChecked
    }

    /// Stays valid until the next one is asked for.
    func value(_ key: ObjectKey) throws -> ValueView {
        var state = empty
        _ = try reader.forEach(key) { value in
            state.add(value)
            return true
        }
        last = ConstantView(isChecked ? try state.checked() : state.result)
        return last.view
    }
}
