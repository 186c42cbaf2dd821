import Synchronization

/// Texts of a file that are not UTF-8, which Realm does not check. Bytes that are not have become U+FFFD.
final class InvalidTexts: Sendable {
    /// More places are not told apart.
    static let limit = 1000

    private struct Found {
        var places: Set<Int64> = []
        var first: String?
    }

    private let found = Mutex(Found())

    /// - Parameter place: where the text is in the file; a text that is read again counts once.
    func add(at place: Int64, in subject: String) {
        found.withLock { found in
            if found.first == nil { found.first = subject }
            if found.places.count < Self.limit { found.places.insert(place) }
        }
    }

    /// How many there are, at most `limit`, and where the first is; nil without any.
    var summary: (count: Int, first: String)? {
        found.withLock { found in found.first.map { (found.places.count, $0) } }
    }
}
