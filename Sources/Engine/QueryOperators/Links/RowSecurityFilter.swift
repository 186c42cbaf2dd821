import Columnar
import ObjectModel
import QueryLanguage

/// Hides references to invisible objects in the values of one path. Used by one thread at a time.
final class RowSecurityFilter {
    private let predicates: [ClassID: RowPredicate]
    private let leavesElementsOut: Bool
    /// Values that contained hidden references, as they are shown: their views stay valid as long as this object lives.
    private var copies: [ConstantView] = []

    init(_ objects: RowSecurityPredicates, in source: any ColumnSource) {
        predicates = Dictionary(
            uniqueKeysWithValues: objects.predicates.map { ($0, RowPredicate($1, on: $0, in: source)) })
        leavesElementsOut = objects.leavesElementsOut
    }

    /// Whether the collection omits the element.
    func leavesOut(_ element: ValueView) throws -> Bool {
        guard leavesElementsOut, case .reference(let target) = element else { return false }
        return try !isVisible(target)
    }

    /// The number of visible elements.
    func count(_ collection: StoredCollection) throws -> Int {
        guard leavesElementsOut else { return collection.count }
        var count = 0
        _ = try collection.forEach { element in
            if try !leavesOut(element) { count += 1 }
            return true
        }
        return count
    }

    /// The value with null for each reference to an invisible object.
    func shown(_ view: ValueView) throws -> ValueView {
        switch view {
        case .reference(let target):
            return try isVisible(target) ? view : .null
        case .list, .dictionary:
            let value = view.value
            let shown = try self.shown(value)
            guard shown != value else { return view }
            let copy = ConstantView(shown)
            copies.append(copy)
            return copy.view
        default:
            return view
        }
    }

    private func shown(_ value: Value) throws -> Value {
        switch value {
        case .reference(let target): try isVisible(target) ? value : .null
        case .list(let elements): .list(try elements.map { try shown($0) })
        case .dictionary(let map): .dictionary(try map.mapValues { try shown($0) })
        default: value
        }
    }

    private func isVisible(_ target: ObjectReference) throws -> Bool {
        try predicates[target.classID]?.holds(target.key) ?? false
    }
}
