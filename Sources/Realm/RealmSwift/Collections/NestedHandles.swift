import LiveQueries
import ObjectModel
import StoreContract

/// The collections within lists of mixed values that are retained of a realm. They follow their elements when this
/// realm inserts, moves or removes elements before them, so that an edit does not go to another collection.
final class NestedHandles {
    /// A property whose value contains collections.
    private struct ContainingProperty: Hashable {
        let owner: ObjectReference
        let property: PropertyID
    }

    private struct Handle {
        weak var accessor: NestedAccessor?
    }

    private var handles: [ContainingProperty: [Handle]] = [:]
    private var count = 0
    /// The number of handles at which those that are no longer retained are dropped.
    private var limit = 256
    /// What the open write has moved, with the steps from before it; nil for what had been removed.
    private var moved: [ObjectIdentifier: (accessor: NestedAccessor, steps: [NestedPath.Step]?)] = [:]

    func add(_ accessor: NestedAccessor) {
        handles[
            ContainingProperty(owner: accessor.location.owner, property: accessor.location.property.id), default: []
        ]
        .append(Handle(accessor: accessor))
        count += 1
        guard count >= limit else { return }
        handles = handles.compactMapValues { retained in
            let retained = retained.filter { $0.accessor != nil }
            return retained.isEmpty ? nil : retained
        }
        count = handles.values.reduce(0) { $0 + $1.count }
        limit = max(256, 2 * count)
    }

    /// Adapts what is retained to an edit of the list at the end of the steps.
    func follow(
        _ operation: CollectionOperation, _ owner: ObjectReference, _ property: PropertyID, _ steps: [NestedPath.Step]
    ) {
        guard count > 0, let retained = handles[ContainingProperty(owner: owner, property: property)] else { return }
        for accessor in retained.lazy.compactMap(\.accessor) {
            let depth = steps.count
            guard let old = accessor.steps, old.starts(with: steps), old.count > depth else { continue }
            guard case .index(let position) = old[depth] else { continue }
            let new = operation.position(of: position)
            guard new != position else { continue }
            if moved[ObjectIdentifier(accessor)] == nil { moved[ObjectIdentifier(accessor)] = (accessor, old) }
            accessor.steps = new.map { index in
                var steps = old
                steps[depth] = .index(index)
                return steps
            }
        }
    }

    // MARK: The end of a write

    /// What a write has moved, for `undo`.
    struct Moves {
        fileprivate let moved: [ObjectIdentifier: (accessor: NestedAccessor, steps: [NestedPath.Step]?)]
    }

    /// Ends the write, as far as this is concerned.
    func takeMoves() -> Moves {
        defer { moved = [:] }
        return Moves(moved: moved)
    }

    /// Goes on with the write that the moves were taken of.
    func putBack(_ moves: Moves) { moved = moves.moved }

    /// Makes everything what it was before the write.
    func undo(_ moves: Moves) {
        for (accessor, steps) in moves.moved.values { accessor.steps = steps }
    }
}

extension CollectionOperation {
    /// Returns the position of a list's element after the edit; nil for an element that the edit removes.
    fileprivate func position(of position: Int) -> Int? {
        switch self {
        case .insert(_, let index): return index <= position ? position + 1 : position
        case .remove(let index): return index == position ? nil : index < position ? position - 1 : position
        case .move(let from, let to):
            if from == position { return to }
            let rest = from < position ? position - 1 : position
            return to <= rest ? rest + 1 : rest
        case .removeAll: return nil
        default: return position
        }
    }
}
