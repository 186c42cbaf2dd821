import Basics
import ObjectModel

/// Finds out whether a property has a different value in every row.
///
/// It keeps a hash of 64 bits for each value. Values that ascend need none, so the keys of a large file cost nothing; for
/// others the memory has a limit, beyond which the answer is unknown.
struct KeySearch {
    private(set) var isOpen = true
    /// The hashes; nil once they were too many, when only ascending integers can still be followed.
    private var hashes: Set<UInt64>? = []
    private var last: Int64?
    private var isAscending = true
    /// The number of values that an earlier row has.
    private(set) var repeated = 0
    private(set) var firstRepeated: ValueExample?

    /// The number of hashes that it keeps at present.
    var hashCount: Int { hashes?.count ?? 0 }

    /// Whether it is known that no value is repeated.
    var isUnique: Bool { isOpen && repeated == 0 }

    /// Adds the value of a row in its canonical text.
    mutating func add(_ text: String, line: Int) {
        guard isOpen else { return }
        let number = Int64(text)
        if isAscending {
            isAscending = number.map { number in last.map { $0 < number } ?? true } ?? false
            last = number
        }
        if hashes == nil {
            isOpen = isAscending
        } else if hashes?.insert(FNV1a.hash(text.utf8)).inserted == false {
            repeated += 1
            if firstRepeated == nil { firstRepeated = ValueExample(line: line, text: text.abbreviated) }
        }
    }

    /// Releases the hashes.
    mutating func forget() {
        hashes = nil
        // A repetition that is known already remains known.
        isOpen = isAscending
    }

    /// Stops: the property cannot be a key.
    mutating func close() {
        hashes = nil
        isOpen = false
    }
}
