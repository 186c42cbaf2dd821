import Basics
import ObjectModel
import QueryLanguage
import StoreContract

/// The order of objects at some stage of a query's steps: by the values of several paths, the most significant first,
/// then by creation.
package struct ResultOrder: Hashable, Sendable {
    let classID: ClassID
    let keys: [SortKey]

    /// A repeated path decides nothing, and is left out.
    init(_ classID: ClassID, by keys: [SortKey] = []) {
        self.classID = classID
        var seen: Set<BoundPath> = []
        self.keys = keys.filter { seen.insert($0.path).inserted }
    }

    var isByCreation: Bool { keys.isEmpty }

    func position(of key: ObjectKey, _ reads: any ObjectReads) throws -> ResultPosition {
        ResultPosition(key: key, values: keys.isEmpty ? [] : try reads.sortValues(keys, of: key, in: classID))
    }

    func isBefore(_ a: ResultPosition, _ b: ResultPosition) -> Bool {
        let order = order(a.values, b.values, upTo: keys.count)
        return order != 0 ? order < 0 : a.key < b.key
    }

    /// Whether no other object can be between two positions of the same object.
    func isSame(_ a: ResultPosition, _ b: ResultPosition) -> Bool { order(a.values, b.values, upTo: keys.count) == 0 }

    /// Compares values, by at most the first `count` paths. A null link on the path is above every value.
    func order(_ a: [Value?], _ b: [Value?], upTo count: Int) -> Int {
        for index in 0..<count {
            let order: Int
            switch (a[index], b[index]) {
            case (nil, nil): order = 0
            case (nil, _?): order = 1
            case (_?, nil): order = -1
            case (let a?, let b?): order = Value.order(a, b)
            }
            if order != 0 { return keys[index].isAscending ? order : -order }
        }
        return 0
    }
}

/// The position of an object in an order.
package struct ResultPosition: Sendable {
    let key: ObjectKey
    /// The values of the order's paths.
    let values: [Value?]
}

/// Reads the positions of objects on both sides of a step; untouched objects have the same position on both and are
/// read only once. Used by one thread at a time.
final class PositionReader {
    let order: ResultOrder
    private let step: VersionDelta
    /// The objects whose position may differ between the sides.
    private let touched: Set<ObjectKey>
    private var known: [ObjectKey: ResultPosition] = [:]
    /// Positions known from other steps, and, if it learns, for later ones.
    var samples = SearchSamples()
    private(set) var learns = false
    private var depth = 0

    init(_ order: ResultOrder, _ step: VersionDelta, touched: Set<ObjectKey>) {
        self.order = order
        self.step = step
        self.touched = touched
    }

    /// From here on the samples are updated to the state after the step.
    func learn() {
        learns = true
        samples.forget(touched)
    }

    /// Begins a search: other searches read the same first positions.
    func beginSearch() { depth = 0 }

    func before(_ key: ObjectKey) throws -> ResultPosition {
        touched.contains(key) ? try order.position(of: key, step.before) : try untouched(key)
    }

    func after(_ key: ObjectKey) throws -> ResultPosition {
        touched.contains(key) ? try order.position(of: key, step.after) : try untouched(key)
    }

    private func untouched(_ key: ObjectKey) throws -> ResultPosition {
        if order.isByCreation { return ResultPosition(key: key, values: []) }
        depth += 1
        if let position = samples[key] ?? known[key] { return position }
        let position = try order.position(of: key, step.after)
        if !learns || !samples.learn(position, depth: depth) { known[key] = position }
        return position
    }
}

/// The positions of those elements of a long list that searches read first, so that they are not read again for each.
/// Kept from step to step, without those that a step touches. Memory: a small fraction of the list's own.
struct SearchSamples: Sendable {
    private static let maximumDepth = 12

    private let depth: Int
    private var positions: [ObjectKey: ResultPosition] = [:]

    /// Makes samples that learn nothing.
    init() { depth = 0 }

    /// Makes samples for a list of so many elements.
    init(count: Int) { depth = min(Self.maximumDepth, max(0, Int.bitWidth - (count / 64).leadingZeroBitCount)) }

    /// Whether the samples still suit the size of the list.
    func fits(count: Int) -> Bool { SearchSamples(count: count).depth == depth && positions.count <= 2 << depth }

    subscript(key: ObjectKey) -> ResultPosition? { positions.isEmpty ? nil : positions[key] }

    /// Whether it is worth keeping.
    mutating func learn(_ position: ResultPosition, depth: Int) -> Bool {
        guard depth <= self.depth else { return false }
        positions[position.key] = position
        return true
    }

    mutating func forget(_ keys: some Collection<ObjectKey>) {
        if positions.isEmpty { return }
        for key in keys where positions[key] != nil { positions[key] = nil }
    }
}

extension KeySequence {
    /// The position of the first element that is not before another position.
    func position(of wanted: ResultPosition, by order: ResultOrder, _ read: (ObjectKey) throws -> ResultPosition)
        rethrows
        -> Int
    {
        if order.isByCreation { return partitioningIndex { $0 >= wanted.key } }
        return try partitioningIndex { try $0 == wanted.key || !order.isBefore(read($0), wanted) }
    }
}
