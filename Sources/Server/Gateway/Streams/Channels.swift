import ObjectModel
import Synchronization

/// The channels that somebody is a member of, or about to be.
final class Channels: Sendable {
    private struct Entry {
        let channel: Channel
        var users: Int
    }

    private let context: ChannelContext
    private let entries = Mutex<[ChannelKey: Entry]>([:])

    init(_ context: ChannelContext) { self.context = context }

    /// The number of different channels.
    var count: Int { entries.withLock { $0.count } }

    /// See `ChannelContext.mark`.
    func mark(of version: Version) -> Mark? { context.mark(version) }

    /// The channel for one more user, who gives it back by `release`.
    func channel(for key: ChannelKey) -> Channel {
        entries.withLock { entries in
            var entry = entries[key] ?? Entry(channel: Channel(key, context), users: 0)
            entry.users += 1
            entries[key] = entry
            return entry.channel
        }
    }

    /// The last user's channel goes, and its observation with it.
    func release(_ channel: Channel) {
        let gone = entries.withLock { entries -> Entry? in
            entries[channel.key]?.users -= 1
            return entries[channel.key]?.users == 0 ? entries.removeValue(forKey: channel.key) : nil
        }
        _ = gone
    }
}
