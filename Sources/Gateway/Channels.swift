import Synchronization

/// The encoders of the collections that are observed now.
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

    /// The channel's encoder; nil when all its subscribers have left. Encoding happens outside the lock, so
    /// that a large result holds up nobody who opens or closes a stream.
    func encoder(of key: ChannelKey) -> ChannelEncoder? { entries.withLock { $0[key]?.encoder } }
}
