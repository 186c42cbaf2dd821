import Basics
import ObjectModel

/// Maps objects of the file to objects of the store. Object keys ascend in the file and in the store, so most
/// neighbours in the file are neighbours in the store; they share one run.
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
        // `key` is not below the run's first key. A difference that overflows 64 bits is beyond every run.
        let (offset, overflows) = key.subtractingReportingOverflow(run.key)
        guard !overflows, offset < run.count else { return nil }
        return ObjectKey(run.target + offset)
    }
}
