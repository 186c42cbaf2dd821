/// The steps of a piece of work, in the order of execution. They are in chunks, so that a long journal grows without a copy
/// of itself.
struct Journal {
    private var chunks: [[Savepoint.Step]] = []

    private static let chunk = 1024

    var isEmpty: Bool { chunks.isEmpty }
    var count: Int { max(chunks.count - 1, 0) * Self.chunk + (chunks.last?.count ?? 0) }
    var last: Savepoint.Step? { chunks.last?.last }
    var steps: some BidirectionalCollection<Savepoint.Step> { chunks.joined() }

    mutating func append(_ step: Savepoint.Step) {
        if chunks.last.map({ $0.count < Self.chunk }) == true {
            chunks[chunks.count - 1].append(step)
        } else {
            chunks.append([step])
        }
    }

    /// Replaces the last step; there must be one.
    mutating func replaceLast(with step: Savepoint.Step) {
        guard let last = chunks.indices.last else { return }
        chunks[last][chunks[last].count - 1] = step
    }
}
