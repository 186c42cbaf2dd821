import Basics
import ObjectModel
import QueryLanguage
import StoreContract

/// The objects that leave the output of a pipeline stage, and those that enter it. One whose position may have changed
/// is in both.
struct StageChange {
    var leaving: [ObjectKey] = []
    var coming: [ObjectKey] = []

    var isEmpty: Bool { leaving.isEmpty && coming.isEmpty }
}

/// Objects in an order, some of which may have changed.
struct OrderedKeys: Sendable {
    let order: ResultOrder
    var keys: KeySequence
    /// Whether there may be more objects after the last one.
    var isPrefix = false
    private var samples = SearchSamples()

    init(order: ResultOrder, keys: KeySequence) {
        self.order = order
        self.keys = keys
    }

    /// Begins a step: returns the reader of the positions in it. `end` keeps what it learned for the next step, unless
    /// the step is only tried out.
    ///
    /// - Parameter touched: the objects whose position may differ before and after.
    mutating func begin(_ step: VersionDelta, touched: Set<ObjectKey>, learns: Bool) -> PositionReader {
        let reader = PositionReader(order, step, touched: touched)
        if order.isByCreation { return reader }
        reader.samples = learns && !samples.fits(count: keys.count) ? SearchSamples(count: keys.count) : samples
        // From here on there is no other reference, so that they change without a copy.
        samples = SearchSamples()
        if learns { reader.learn() }
        return reader
    }

    mutating func end(_ reader: PositionReader) {
        guard reader.learns else { return }
        swap(&samples, &reader.samples)
    }

    /// Drops cached positions of objects that changed.
    mutating func forget(_ touched: some Collection<ObjectKey>) { samples.forget(touched) }

    /// An object that leaves.
    private struct Departure {
        /// Its former position.
        let position: ResultPosition
        /// Its first position, if all of its occurrences leave.
        let start: Int?
        var indices: Range<Int>
    }

    /// The edit that a change makes. Leaving objects that are not in the list are ignored. The occurrences of a
    /// repeated object are adjacent. Cost: a few reads of positions for each element of the change, as many as a search
    /// takes.
    ///
    /// - Parameter all: whether all occurrences of a leaving object are removed, however often it is named.
    func edit(_ change: StageChange, _ reader: PositionReader, removingAll all: Bool) throws -> ResultEdit {
        var departures: [ObjectKey: Departure] = Dictionary(minimumCapacity: change.leaving.count)
        for key in change.leaving {
            if let known = departures[key] {
                // The last ones are removed first.
                let run = known.indices
                if !all, run.lowerBound > 0, keys[run.lowerBound - 1] == key {
                    departures[key]?.indices = run.lowerBound - 1..<run.upperBound
                }
                continue
            }
            let position = try reader.before(key)
            reader.beginSearch()
            let run = keys.run(of: key, from: try keys.position(of: position, by: order, reader.before))
            if run.isEmpty { continue }
            let isWhole = all || run.count == 1
            departures[key] = Departure(
                position: position, start: isWhole ? run.lowerBound : nil,
                indices: all ? run : run.upperBound - 1..<run.upperBound)
        }
        let removed = departures.values.flatMap(\.indices).sorted()
        var untouched: KeySequence?
        var arrivals: [(arrival: ResultEdit.Arrival, position: ResultPosition)] = []
        for key in change.coming {
            let position = try reader.after(key)
            let departure = departures[key]
            let rank: Int
            if let departure, let start = departure.start, order.isSame(departure.position, position) {
                // Among untouched elements there is nothing between its former position and its new one.
                rank = start - removed.partitioningIndex { $0 >= start }
            } else {
                let others = untouched ?? keys.removing(removed)
                untouched = others
                reader.beginSearch()
                rank = try others.position(of: position, by: order, reader.after)
            }
            // Beyond the last one there may be others before it.
            if isPrefix, rank == keys.count - removed.count { continue }
            if let departure { departures[key]?.indices = departure.indices.dropFirst() }
            arrivals.append(
                (ResultEdit.Arrival(key: key, rank: rank, oldIndex: departure?.indices.first), position))
        }
        let isStill = arrivals.count == removed.count && arrivals.allSatisfy { $0.arrival.oldIndex != nil }
        if untouched == nil, !isStill { untouched = keys.removing(removed) }
        arrivals.sort { a, b in
            if a.arrival.rank != b.arrival.rank { return a.arrival.rank < b.arrival.rank }
            if a.arrival.key != b.arrival.key { return order.isBefore(a.position, b.position) }
            return (a.arrival.oldIndex ?? .max) < (b.arrival.oldIndex ?? .max)
        }
        return ResultEdit(old: keys, removed: removed, untouched: untouched, arrivals: arrivals.map(\.arrival))
    }
}

extension KeySequence {
    /// The positions of an object that is at `index`, or not at all, and perhaps repeated after it.
    func run(of key: ObjectKey, from index: Int) -> Range<Int> {
        var end = index
        while end < count, self[end] == key { end += 1 }
        return index..<end
    }
}

/// LIMIT: the first few of the input.
struct LimitStage: Sendable {
    /// The input; where it is easily read again, only as much of it as suffices for a while.
    private(set) var input: OrderedKeys
    let most: Int
    /// The query that reads the input again, if only its beginning is kept.
    let source: BoundQuery?

    init(_ input: ResultOrder, most: Int, keepingAll query: BoundQuery, _ reads: any ObjectReads) throws {
        self.most = Self.sound(most)
        source = nil
        self.input = OrderedKeys(order: input, keys: KeySequence(try reads.select(query, .all)))
    }

    /// Keeps a part of the result of `source`.
    init(_ input: ResultOrder, most: Int, from source: BoundQuery, _ reads: any ObjectReads) throws {
        self.most = Self.sound(most)
        self.source = source
        self.input = OrderedKeys(order: input, keys: KeySequence())
        try fill(source, reads)
    }

    /// A limit beyond any number of objects is treated as none.
    private static func sound(_ most: Int) -> Int { min(max(0, most), Int.max / 8) }

    /// The number of objects that are kept after a read, and above which some are dropped.
    private var enough: Int { most * 2 + 64 }
    private var tooMany: Int { most * 4 + 256 }

    private mutating func fill(_ source: BoundQuery, _ reads: any ObjectReads) throws {
        let keys = try reads.select(source, Window(limit: enough))
        input.keys = KeySequence(keys)
        input.isPrefix = keys.count == enough
    }

    mutating func forget(_ touched: some Collection<ObjectKey>) { input.forget(touched) }

    /// Processes a change of the input and returns the change of the first few.
    mutating func advance(
        _ change: StageChange, in step: VersionDelta, touched: Set<ObjectKey>, removingAll: Bool, learns: Bool
    ) throws -> StageChange {
        let reader = input.begin(step, touched: touched, learns: learns)
        defer { input.end(reader) }
        let edit = try input.edit(change, reader, removingAll: removingAll)
        if edit.isEmpty { return StageChange() }
        let edited = edit.applied()
        var result = StageChange()
        let removed = edit.removed.prefix { $0 < most }
        result.leaving = removed.map { edit.old[$0] }
        result.coming = zip(edit.arrivals, edit.newIndices).prefix { $0.1 < most }.map(\.0.key)
        // Some untouched elements are pushed out, or drawn in, by the others.
        let before = min(most, edit.old.count) - removed.count
        let now = min(most, edited.count) - result.coming.count
        if now < before { result.leaving += edit.untouched.keys(in: now..<before) }
        if before < now { result.coming += edit.untouched.keys(in: before..<now) }
        input.keys = edited
        if let source, input.isPrefix, edited.count < most {
            try fill(source, step.after)
            result.coming += input.keys.keys(in: min(edited.count, input.keys.count)..<min(most, input.keys.count))
        } else if source != nil, edited.count > tooMany {
            input.keys = KeySequence(edited.keys(in: 0..<enough))
            input.isPrefix = true
        }
        return result
    }
}

/// DISTINCT: the first of each group of objects with equal values at some paths.
struct DistinctStage: Sendable {
    /// The input, ordered by the values first: the first of each group is the one that is kept.
    private(set) var input: OrderedKeys
    /// The number of the order's paths that define groups.
    private let width: Int

    init(_ paths: [BoundPath], _ input: ResultOrder, of query: BoundQuery, _ reads: any ObjectReads) throws {
        let keys = paths.map { SortKey($0) }
        width = Set(paths).count
        var grouped = query
        if !keys.isEmpty { grouped.steps.append(.sort(keys)) }
        self.input = OrderedKeys(
            order: ResultOrder(input.classID, by: keys + input.keys), keys: KeySequence(try reads.select(grouped, .all))
        )
    }

    mutating func forget(_ touched: some Collection<ObjectKey>) { input.forget(touched) }

    /// Processes a change of the input and returns the change of the groups' first objects.
    mutating func advance(
        _ change: StageChange, in step: VersionDelta, touched: Set<ObjectKey>, removingAll: Bool, learns: Bool
    ) throws -> StageChange {
        let reader = input.begin(step, touched: touched, learns: learns)
        defer { input.end(reader) }
        let edit = try input.edit(change, reader, removingAll: removingAll)
        if edit.isEmpty { return StageChange() }
        let old = edit.old
        input.keys = edit.applied()
        var groups = try edit.removed.map { try reader.before(old[$0]) }
        groups += try edit.arrivals.map { try reader.after($0.key) }
        groups.sort { order($0, $1) < 0 }
        let moved = Set(edit.arrivals.map(\.key))
        var result = StageChange()
        var previous: ResultPosition?
        for group in groups {
            if let previous, order(previous, group) == 0 { continue }
            previous = group
            let before = try first(of: group, in: old, reader, reader.before)
            let now = try first(of: group, in: input.keys, reader, reader.after)
            if before == now, now.map(moved.contains) != true { continue }
            if let before { result.leaving.append(before) }
            if let now { result.coming.append(now) }
        }
        return result
    }

    private func order(_ a: ResultPosition, _ b: ResultPosition) -> Int {
        input.order.order(a.values, b.values, upTo: width)
    }

    /// The first object of a group; none where a link on a path is null.
    private func first(
        of group: ResultPosition, in keys: KeySequence, _ reader: PositionReader,
        _ read: (ObjectKey) throws -> ResultPosition
    ) throws -> ObjectKey? {
        guard !group.values.prefix(width).contains(where: { $0 == nil }) else { return nil }
        reader.beginSearch()
        let index = try keys.partitioningIndex { try order(read($0), group) >= 0 }
        guard index < keys.count else { return nil }
        return try order(read(keys[index]), group) == 0 ? keys[index] : nil
    }
}
