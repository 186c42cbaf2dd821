import Columnar
import ObjectModel
import QueryLanguage

/// Runs a scan and the steps after it, doing no more than the window needs.
struct ResultPipeline {
    private let scan: ClassScan
    private var steps: [ResultStep]
    private let window: Window
    /// How many keys the last of several SORTs in a row has: those that a cursor has values for.
    private var cursorKeyCount = 0

    init(_ scan: ClassScan, _ steps: [ResultStep], _ window: Window) {
        self.scan = scan
        self.window = window
        self.steps = []
        for step in steps {
            // Sorting is stable, so of two SORTs in a row the later is primary and the earlier breaks ties.
            if case .sort(let keys) = step, case .sort(let earlier) = self.steps.last {
                self.steps[self.steps.count - 1] = .sort(keys + earlier)
                cursorKeyCount = keys.count
            } else {
                if case .sort(let keys) = step { cursorKeyCount = keys.count }
                self.steps.append(step)
            }
        }
    }

    func run() throws -> [ObjectKey] {
        var keys = try first()
        for (index, step) in steps.enumerated().dropFirst() { keys = try apply(step, keys, limit: limit(after: index)) }
        let start = min(max(0, window.offset), keys.count)
        return Array(keys[start...].prefix(window.limit ?? .max))
    }

    /// The scan with the first step.
    private func first() throws -> [ObjectKey] {
        switch steps.first {
        case nil: return try scan.list(after: window.after?.key, limit: limit(after: -1))
        case .limit(let most): return try scan.list(limit: max(0, most))
        case .distinct(let paths): return try distinct(paths, try scan.list())
        case .sort(let keys):
            let sorter = Sorter(keys, scan.classID, scan.source, limit: limit(after: 0))
            if steps.count == 1, let cursor = window.after { try sorter.start(after: cursor, keyCount: cursorKeyCount) }
            try scan.forEachCluster { try sorter.add($0, $1) }
            return sorter.sorted()
        }
    }

    private func apply(_ step: ResultStep, _ keys: [ObjectKey], limit: Int) throws -> [ObjectKey] {
        switch step {
        case .limit(let most): return Array(keys.prefix(max(0, most)))
        case .distinct(let paths): return try distinct(paths, keys)
        case .sort(let sortKeys):
            let sorter = Sorter(sortKeys, scan.classID, scan.source, limit: limit)
            for key in keys { try sorter.add(key) }
            return sorter.sorted()
        }
    }

    /// How many objects of what step `index` gives are looked at.
    private func limit(after index: Int) -> Int {
        if index + 1 < steps.count {
            if case .limit(let most) = steps[index + 1] { return max(0, most) }
            return .max
        }
        guard let limit = window.limit else { return .max }
        let (sum, overflow) = limit.addingReportingOverflow(max(0, window.offset))
        return overflow ? .max : max(0, sum)
    }

    private func distinct(_ paths: [BoundPath], _ keys: [ObjectKey]) throws -> [ObjectKey] {
        let readers = paths.map { PathReader($0, from: scan.classID, in: scan.source) }
        var seen: Set<[Value]> = []
        return try keys.filter { key in
            var values: [Value] = []
            for reader in readers {
                guard let value = try reader.single(key) else { return false }
                values.append(value.canonical)
            }
            return seen.insert(values).inserted
        }
    }
}

extension Value {
    /// One form for values that are equal in the total order: -0 is 0, and all NaN are one.
    fileprivate var canonical: Value {
        switch self {
        case .float(let number): .float(number.isNaN ? .nan : number + 0)
        case .double(let number): .double(number.isNaN ? .nan : number + 0)
        default: self
        }
    }
}
