import Synchronization

/// Counts the texts of a file that are not valid UTF-8. Realm does not check texts when it stores them; the reader
/// replaces invalid bytes by U+FFFD.
final class InvalidTexts: Sendable {
    /// The maximum number of locations that are counted.
    static let limit = 1000

    private struct Found {
        var locations: Set<Int64> = []
        var first: String?
    }

    private let found = Mutex(Found())

    /// - Parameter location: the text's location in the file. A text that is read twice counts once.
    func add(at location: Int64, in subject: String) {
        found.withLock { found in
            if found.first == nil { found.first = subject }
            if found.locations.count < Self.limit { found.locations.insert(location) }
        }
    }

    /// The number of invalid texts, at most `limit`, and where the first one is; nil if there are none.
    var summary: (count: Int, first: String)? {
        found.withLock { found in found.first.map { (found.locations.count, $0) } }
    }
}
