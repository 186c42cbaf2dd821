import HTTPServer
import JSONCoding
import LiveQueries
import ObjectModel
import QueryLanguage
import StoreContract
import Synchronization

/// One client's stream of a collection's events.
///
/// A client that reads too slowly is not queued for without end: when its stream is full, events are left out until
/// it has drained, and then it is given the whole result anew.
final class CollectionSubscription: Sendable {
    private struct State {
        var token: LiveToken?
        /// Whether an event was left out.
        var isBehind = false
        var isOver = false
        /// Which observation is the present one: what an earlier one still delivers is not sent.
        var round = 0
    }

    private let gateway: Gateway
    private let key: ChannelKey
    private let stream: EventStream
    /// The version that the client had seen before it reconnected.
    private let lastSeen: Version?
    private let state = Mutex(State())

    private init(_ gateway: Gateway, _ key: ChannelKey, _ stream: EventStream, lastSeen: Version?) {
        self.gateway = gateway
        self.key = key
        self.stream = stream
        self.lastSeen = lastSeen
    }

    /// Sends events from now on until the stream ends.
    static func begin(_ gateway: Gateway, _ key: ChannelKey, _ stream: EventStream, lastSeen: Version?) {
        let subscription = CollectionSubscription(gateway, key, stream, lastSeen: lastSeen)
        gateway.channels.join(key)
        stream.send(.retry)
        // The stream holds the subscription until it ends.
        stream.onDrain { subscription.catchUp() }
        subscription.observe(isFirst: true)
        stream.onClose { _ in subscription.end() }
    }

    private func observe(isFirst: Bool) {
        let round = state.withLock { state in
            state.round += 1
            state.isBehind = false
            return state.round
        }
        let token = gateway.live.observe(key.query, keyPaths: key.keyPaths) { [weak self] event in
            self?.deliver(event, round: round, isFirst: isFirst)
        }
        let old = state.withLock { state in
            // What came to an end meanwhile must not be observed on.
            if state.isOver { return token as LiveToken? }
            defer { state.token = token }
            return state.token
        }
        old?.cancel()
    }

    private func catchUp() {
        let isBehind = state.withLock { $0.isBehind && !$0.isOver }
        if isBehind { observe(isFirst: false) }
    }

    private func end() {
        let token = state.withLock { state in
            state.isOver = true
            defer { state.token = nil }
            return state.token
        }
        token?.cancel()
        gateway.channels.leave(key)
    }

    /// On the live queries' thread.
    private func deliver(_ event: LiveEvent, round: Int, isFirst: Bool) {
        guard state.withLock({ $0.round == round && !$0.isBehind && !$0.isOver }) else { return }
        do {
            switch event {
            case .initial(let snapshot, let keys):
                if isFirst, lastSeen == snapshot.version { return }
                let limit = gateway.configuration.largestObserved
                guard keys.count <= limit else {
                    throw Problem(
                        400, "observe.too_large",
                        "\(keys.count) objects are too many to observe; give a 'limit' of at most \(limit), or a filter.",
                        parameter: "limit")
                }
                send(try gateway.channels.encoder(of: key)?.initial(snapshot, keys))
            case .update(let change):
                send(try gateway.channels.encoder(of: key)?.update(change))
            case .failed(let error):
                throw error
            }
        } catch {
            stream.finish(with: gateway.problem(of: error))
        }
    }

    private func send(_ event: SharedBytes?) {
        guard let event, stream.send(event) == .full else { return }
        state.withLock { $0.isBehind = true }
        // It may have drained before it was marked.
        if !stream.isCongested { catchUp() }
    }
}

extension SharedBytes {
    /// Asks clients to reconnect after two seconds.
    static var retry: SharedBytes { SharedBytes("retry: 2000\n\n") }
}

extension EventStream {
    /// Tells the client why the stream ends, and ends it.
    func finish(with problem: Problem) {
        let json = JSONWriter(capacity: 256)
        problem.encode(into: json)
        send(json.event("error", nil))
        close()
    }
}
