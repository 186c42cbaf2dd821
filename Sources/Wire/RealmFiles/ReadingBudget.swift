/// How much may still be read. A file whose nodes are shared, or lead in a circle, could be read without an end, and a
/// node of zeros claims any number of elements without a byte for them.
///
/// In a file that Realm wrote, each node has one parent, so that reading all tables visits fewer than `length / 8`
/// nodes with fewer than `length` bytes. The limits are some times as high, because keys are read more than once.
struct ReadingBudget {
    private(set) var visits: Int
    private(set) var bytes: Int
    private(set) var elements: Int
    /// The elements that may be in memory at once. As many fit into a file of single bits; only lists of two million
    /// zeros and more, in a file with little else, could exceed it.
    private var live: Int
    private var liveLimit: Int

    /// - Parameter spent: what other tables have taken of the same file.
    init(length: Int, spent: ReadingCost = ReadingCost()) {
        visits = max(0, length / 2 + 64 - spent.visits)
        bytes = max(0, length * 4 + 4096 - spent.bytes)
        elements = max(0, length * 128 + 8 * 1_048_576 - spent.elements)
        liveLimit = length * 8 + 2 * 1_048_576
        live = liveLimit
    }

    /// Takes one node; returns false when too much has been read.
    mutating func take(bytes count: Int, elements number: Int) -> Bool {
        guard visits > 0, count <= bytes, number <= elements, number <= live else { return false }
        visits -= 1
        bytes -= count
        elements -= number
        live -= number
        return true
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
