import Basics
import ObjectModel

/// Which object of the store an object of the file became. Object keys of a file ascend, and so do those of the store,
/// so that most neighbours of the one are neighbours of the other: those are kept as one run.
struct ObjectKeyRuns {
    private struct Run {
        let key: Int64
        let target: Int64
        var count: Int64
    }

    private var runs: [Run] = []

    /// Adds an object; keys ascend.
    mutating func append(_ key: Int64, _ target: ObjectKey) {
        if let last = runs.last, key == last.key &+ last.count, target.rawValue == last.target &+ last.count {
            runs[runs.count - 1].count += 1
        } else {
            runs.append(Run(key: key, target: target.rawValue, count: 1))
        }
    }

    /// Cost: logarithmic in the number of runs.
    subscript(key: Int64) -> ObjectKey? {
        let after = runs.partitioningIndex { $0.key > key }
        guard after > 0 else { return nil }
        let run = runs[after - 1]
        // Both keys are at least the run's, and a difference beyond 64 bits is beyond every run.
        let (offset, overflows) = key.subtractingReportingOverflow(run.key)
        guard !overflows, offset < run.count else { return nil }
        return ObjectKey(run.target + offset)
    }
}
