import Columnar
import ObjectModel
import QueryLanguage
import StoreContract
import QueryOperators

/// Applies a query's steps to the selected objects, and does no more work than the window needs.
struct ResultPipeline {
    private let selected: SelectedObjects
    private let classID: ClassID
    private let source: any ColumnSource
    private var steps: [ResultStep]
    private let window: Window
    private let measure: StepMeasures?
    /// The sort keys of a cursor's values.
    private let order: [SortKey]

    init(
        _ selected: SelectedObjects, of classID: ClassID, in source: any ColumnSource, _ steps: [ResultStep],
        _ window: Window, measure: StepMeasures? = nil
    ) {
        self.selected = selected
        self.classID = classID
        self.source = source
        self.window = window
        self.measure = measure
        order = steps.order
        self.steps = []
        for step in steps {
            // Sorting is stable, so of two consecutive SORTs the later is primary and the earlier breaks ties.
            if case .sort(let keys) = step, case .sort(let earlier) = self.steps.last {
                self.steps[self.steps.count - 1] = .sort(keys + earlier)
            } else {
                self.steps.append(step)
            }
        }
    }

    /// The steps as they are executed.
    var plannedSteps: [ResultStep] { steps }

    func run() throws -> [ObjectKey] {
        if steps.isEmpty, case .scan(let scan) = selected, let limit = window.limit {
            return try scan.list(after: window.after?.key, skipping: max(0, window.offset), limit: limit)
        }
        var keys = try first()
        for (index, step) in steps.enumerated().dropFirst() {
            keys = try timed(step, rowsIn: keys.count) { try apply(step, keys, limit: limit(after: index)) }
        }
        if let cursor = window.after, !isOneSort { keys = try behind(cursor, keys) }
        let start = min(max(0, window.offset), keys.count)
        return Array(keys[start...].prefix(window.limit ?? .max))
    }

    /// Whether a cursor's position is found while the objects are selected or sorted: there are no other steps.
    private var isOneSort: Bool {
        if case .sort? = steps.first { return steps.count == 1 }
        return steps.isEmpty
    }

    /// The objects of an ordered result after a cursor.
    private func behind(_ cursor: Cursor, _ keys: [ObjectKey]) throws -> [ObjectKey] {
        guard !order.isEmpty else { return keys.filter { $0 > cursor.key } }
        let sorter = Sorter(order, classID, source, limit: limit(after: steps.count))
        try sorter.start(after: cursor, keyCount: order.count)
        for key in keys { try sorter.add(key) }
        return sorter.sorted()
    }

    /// The selected objects after the first step.
    private func first() throws -> [ObjectKey] {
        guard let step = steps.first else { return try selected.list(after: window.after, limit: limit(after: -1)) }
        switch step {
        case .limit(let most):
            return try timed(step, rowsIn: nil) { try selected.list(limit: max(0, most)) }
        case .distinct(let paths):
            guard case .scan(let scan) = selected else {
                let keys = try selected.list()
                return try timed(step, rowsIn: keys.count) { try apply(step, keys, limit: limit(after: 0)) }
            }
            let distinct = Distinct(paths, of: classID, in: source)
            guard let measure else { return try distinct.filter(scan, limit: limit(after: 0)) }
            var rowsIn = 0
            var keys: [ObjectKey] = []
            let spent = try ContinuousClock().measure {
                keys = try distinct.filter(scan, limit: limit(after: 0)) { rowsIn += $0 }
            }
            measure.record(step, rowsIn: rowsIn, rowsOut: keys.count, spent)
            return keys
        case .sort(let sortKeys):
            let sorter = try sorter(sortKeys, limit: limit(after: 0), after: steps.count == 1 ? window.after : nil)
            // Its time is that of reading and ordering, without the predicate's.
            var rowsIn = 0
            var sorted: [ObjectKey] = []
            let clock = measure.map { _ in ContinuousClock() }
            var spent = Duration.zero
            func add(_ body: () throws -> Void) throws {
                guard let clock else { return try body() }
                spent += try clock.measure(body)
            }
            switch selected {
            case .scan(let scan):
                // Measurements count what the predicate selects of all clusters.
                let skips = measure == nil
                let lastFirst =
                    try skips && scan.endClusters().map { try sorter.prefers($0.last, to: $0.first) } ?? false
                try scan.forEachCluster(lastFirst: lastFirst, mayMatter: skips ? sorter.mayMatter : nil) {
                    cluster, mask in
                    if measure != nil { rowsIn += mask.population }
                    try add { try sorter.add(cluster, mask) }
                }
            case .keys(let keys):
                rowsIn = keys.count
                try add { for key in keys { try sorter.add(key) } }
            }
            try add { sorted = try sorter.sorted() }
            measure?.record(step, rowsIn: rowsIn, rowsOut: sorted.count, spent)
            return sorted
        }
    }

    private func apply(_ step: ResultStep, _ keys: [ObjectKey], limit: Int) throws -> [ObjectKey] {
        switch step {
        case .limit(let most): return Array(keys.prefix(max(0, most)))
        case .distinct(let paths): return try Distinct(paths, of: classID, in: source).filter(keys, limit: limit)
        case .sort(let sortKeys):
            let sorter = try sorter(sortKeys, limit: limit, after: nil)
            for key in keys { try sorter.add(key) }
            return try sorter.sorted()
        }
    }

    /// A sorter that keeps the first few, or one for all.
    private func sorter(_ keys: [SortKey], limit: Int, after cursor: Cursor?) throws -> any ObjectSorter {
        let wantsMost = limit >= source.objectCount(of: classID) / 4
        if cursor == nil, wantsMost, FullSorter.canSort(by: keys) { return FullSorter(keys, classID, source) }
        let sorter = Sorter(keys, classID, source, limit: limit)
        if let cursor { try sorter.start(after: cursor, keyCount: order.count) }
        return sorter
    }

    private func timed(_ step: ResultStep, rowsIn: Int?, _ body: () throws -> [ObjectKey]) throws -> [ObjectKey] {
        guard let measure else { return try body() }
        var keys: [ObjectKey] = []
        let spent = try ContinuousClock().measure { keys = try body() }
        measure.record(step, rowsIn: rowsIn, rowsOut: keys.count, spent)
        return keys
    }

    /// The number of objects of step `index`'s output that are needed.
    private func limit(after index: Int) -> Int {
        if index + 1 < steps.count {
            if case .limit(let most) = steps[index + 1] { return max(0, most) }
            return .max
        }
        // The objects before a cursor have not been removed yet.
        if index < steps.count, window.after != nil, !isOneSort { return .max }
        guard let limit = window.limit else { return .max }
        let (sum, overflow) = limit.addingReportingOverflow(max(0, window.offset))
        return overflow ? .max : max(0, sum)
    }
}

/// The measurements of each step of a query, in the order of execution.
final class StepMeasures {
    private(set) var parts: [(step: ResultStep, rowsIn: Int?, rowsOut: Int, nanoseconds: Int)] = []

    func record(_ step: ResultStep, rowsIn: Int?, rowsOut: Int, _ spent: Duration) {
        parts.append((step, rowsIn, rowsOut, spent.wholeNanoseconds))
    }
}
