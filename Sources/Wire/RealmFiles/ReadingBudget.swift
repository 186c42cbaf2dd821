/// How much may still be read. A file whose nodes are shared, or lead in a circle, could be read without an end, and a
/// node of zeros claims any number of elements without a byte for them.
///
/// In a file that Realm wrote, each node has one parent, so that reading all tables visits fewer than `length / 8`
/// nodes with fewer than `length` bytes. The limits are some times as high, because keys are read more than once.
struct ReadingBudget {
    private(set) var visits: Int
    private(set) var bytes: Int
    private(set) var elements: Int
    /// The elements that may be in memory at once, which are the values of one cluster. An element takes a bit or more
    /// of the file and some 50 bytes of memory, so the file's length says nothing about the memory that it needs: only
    /// two million elements, and one for each four bytes of the file, may be there together. Only a list of millions of
    /// very small numbers in one object exceeds that.
    private var live: Int
    private var liveLimit: Int

    /// - Parameter spent: what other tables have taken of the same file.
    init(length: Int, spent: ReadingCost = ReadingCost()) {
        visits = max(0, length / 2 + 64 - spent.visits)
        bytes = max(0, length * 4 + 4096 - spent.bytes)
        elements = max(0, length * 128 + 8 * 1_048_576 - spent.elements)
        liveLimit = length / 4 + 2 * 1_048_576
        live = liveLimit
    }

    /// Whether a node may be read.
    enum Decision {
        case granted
        /// More would be read than the file can have.
        case exhausted
        /// More elements than this would be in memory at once.
        case tooMany(Int)
    }

    /// Takes one node, if that is granted.
    mutating func reserve(bytes count: Int, elements number: Int) -> Decision {
        guard visits > 0, count <= bytes, number <= elements else { return .exhausted }
        guard number <= live else { return .tooMany(liveLimit) }
        visits -= 1
        bytes -= count
        elements -= number
        live -= number
        return .granted
    }

    /// Says that so many of the elements that were read stay in memory.
    mutating func keep(_ number: Int) { liveLimit = max(0, liveLimit - number) }

    /// Says that what was read so far, and is not kept, is no longer in memory.
    mutating func forget() { live = liveLimit }
}

/// What a reading took.
struct ReadingCost {
    var visits = 0
    var bytes = 0
    var elements = 0

    init() {}

    init(from before: ReadingBudget, to after: ReadingBudget) {
        visits = before.visits - after.visits
        bytes = before.bytes - after.bytes
        elements = before.elements - after.elements
    }

    static func + (a: ReadingCost, b: ReadingCost) -> ReadingCost {
        var sum = a
        sum.visits += b.visits
        sum.bytes += b.bytes
        sum.elements += b.elements
        return sum
    }

    func atLeast(_ other: ReadingCost) -> ReadingCost {
        var larger = self
        larger.visits = max(visits, other.visits)
        larger.bytes = max(bytes, other.bytes)
        larger.elements = max(elements, other.elements)
        return larger
    }
}
