import Synchronization

/// The memory for long JSON texts while they are written, shared by all work that writes such texts, with a limit.
///
/// A `JSONWriter` reserves what its buffer takes when it becomes long, and gives it back when the text is complete and
/// belongs to a response, an event or a piece, which count their bytes themselves. A writer that gets no memory keeps
/// writing, but reports that it is exhausted. Its owner must check and stop, so the bytes beyond the limit are those
/// that are written between two checks.
package final class TextMemory: Sendable {
    /// There is no memory for a text now. The same text may be written later.
    package struct Exhausted: Error {
        package init() {}
    }

    /// The memory for the texts of this thread's work; nil where only short texts are written.
    @TaskLocal package static var current: TextMemory?

    private let limit: Int
    private let reserved = Atomic(0)

    /// The capacity up to which a buffer is not counted.
    static let short = 64 << 10

    /// - Parameter limit: in bytes; a single text may be larger.
    package init(limit: Int) { self.limit = limit }

    /// The bytes in memory now.
    package var bytes: Int { reserved.load(ordering: .relaxed) }

    /// Reserves bytes for a text.
    ///
    /// - Parameter own: what the text has already.
    /// - Returns: false if that exceeds the limit; the bytes are counted all the same.
    func reserve(_ bytes: Int, own: Int) -> Bool {
        let after = reserved.add(bytes, ordering: .relaxed).newValue
        return after <= limit || after - bytes <= own
    }

    func release(_ bytes: Int) { reserved.subtract(bytes, ordering: .relaxed) }
}
