import Dispatch
import HTTPServer
import ObjectModel
import Synchronization

/// Waits for a channel to tell something: when it does, everything that was committed before has been sent to the
/// channel's earlier members.
final class FirstResult: ChannelMember {
    enum Outcome: Sendable {
        case known
        case failed(Ending)
    }

    private let channel: Channel
    private let channels: Channels
    let caller: LimitKey
    private let action: Mutex<(@Sendable (Outcome) -> Void)?>

    private init(
        _ channel: Channel, _ channels: Channels, _ caller: LimitKey, _ action: @escaping @Sendable (Outcome) -> Void
    ) {
        self.channel = channel
        self.channels = channels
        self.caller = caller
        self.action = Mutex(action)
    }

    /// Calls `action` once, on the live queries' thread.
    ///
    /// - Parameter version: a version since which the result need not be told anew.
    static func await(
        _ key: ChannelKey, _ channels: Channels, for caller: LimitKey, since version: Version? = nil,
        _ action: @escaping @Sendable (Outcome) -> Void
    ) {
        let channel = channels.channel(for: key)
        channel.join(FirstResult(channel, channels, caller, action), since: version)
    }

    var plainStream: EventStream? { nil }

    func take(_ event: EncodedEvent) -> EventStream.SendResult {
        finish(.known)
        return .closed
    }

    func isAt(_ version: Version) { finish(.known) }
    func fallBehind(since version: Version?) {}
    /// The streams begin anew on their own.
    func beginAnew() { finish(.known) }
    func end(with ending: Ending) { finish(.failed(ending)) }

    private func finish(_ outcome: Outcome) {
        let action = action.withLock { action in
            defer { action = nil }
            return action
        }
        guard let action else { return }
        channel.leave(self)
        channels.release(channel)
        action(outcome)
    }
}
