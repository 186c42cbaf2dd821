import HTTPServer
import ObjectModel
import Synchronization

/// One client's stream of one channel's events.
///
/// A client that reads too slowly is not queued for without end: when its stream is full, events are left out until it
/// has drained, and then it joins the channel again from the version that it was left at: it is told the difference
/// since then in one, or everything anew.
final class StreamSubscription: ChannelMember {
    private struct State {
        /// Where it was left.
        var since: Version?
        var isBehind = false
    }

    private let stream: EventStream
    private let channel: Channel
    private let state = Mutex(State())

    private init(_ stream: EventStream, _ channel: Channel) {
        self.stream = stream
        self.channel = channel
    }

    /// Sends events from now on until the stream ends.
    ///
    /// - Parameter version: what the client has heard of, if it comes back.
    static func begin(_ key: ChannelKey, _ channels: Channels, _ stream: EventStream, since version: Version?) {
        let channel = channels.channel(for: key)
        let subscription = StreamSubscription(stream, channel)
        stream.send(.retry)
        // The stream drops this when it ends.
        stream.onDrain { subscription.catchUp() }
        channel.join(subscription, since: version)
        // The stream holds the subscription until then.
        stream.onClose { _ in
            channel.leave(subscription)
            channels.release(channel)
        }
    }

    var plainStream: EventStream? { stream }

    func take(_ event: EncodedEvent) -> EventStream.SendResult { stream.send(event.bytes) }

    func isAt(_ version: Version) {}

    func fallBehind(since version: Version?) {
        state.withLock { state in
            state.since = version
            state.isBehind = true
        }
        // It may have drained before it was marked.
        if !stream.isCongested { catchUp() }
    }

    func end(with ending: Ending) {
        stream.send(ending.event.bytes)
        stream.close()
    }

    private func catchUp() {
        let since: Version?? = state.withLock { state in
            guard state.isBehind else { return nil }
            state.isBehind = false
            return .some(state.since)
        }
        guard let since, !stream.isClosed else { return }
        channel.join(self, since: since)
    }
}
