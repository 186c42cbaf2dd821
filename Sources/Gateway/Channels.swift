import Synchronization

/// The encoders of the collections that are observed now.
///
/// The lock is held while an event is encoded: that happens on one thread only, so nobody waits but who opens or
/// closes a stream.
final class Channels: Sendable {
    private struct Entry {
        let encoder: ChannelEncoder
        var subscribers: Int
    }

    private let entries = Mutex<[ChannelKey: Entry]>([:])

    /// The number of different channels.
    var count: Int { entries.withLock { $0.count } }

    func join(_ key: ChannelKey) {
        entries.withLock { $0[key, default: Entry(encoder: ChannelEncoder(key), subscribers: 0)].subscribers += 1 }
    }

    func leave(_ key: ChannelKey) {
        entries.withLock { entries in
            entries[key]?.subscribers -= 1
            if entries[key]?.subscribers == 0 { entries[key] = nil }
        }
    }

    /// Encodes with the channel's encoder; nil when all its subscribers have left.
    func encode<R: Sendable>(_ key: ChannelKey, _ body: (ChannelEncoder) throws -> R) rethrows -> R? {
        try entries.withLock { entries in
            guard let encoder = entries[key]?.encoder else { return nil }
            return try body(encoder)
        }
    }
}
