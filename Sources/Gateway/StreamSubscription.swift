import HTTPServer
import JSONCoding
import LiveQueries
import Synchronization

/// One client's stream of events about something that is observed.
///
/// A client that reads too slowly is not queued for without end: when its stream is full, events are left out
/// until it has drained, and then it is observed anew, which tells it everything from the start. Each such
/// observation is a round.
protocol StreamSubscription: AnyObject, Sendable {
    var stream: EventStream { get }
    var rounds: ObservationRounds { get }

    /// Begins to observe; what is delivered belongs to the round, the first being 1.
    func observe(round: Int) -> LiveToken

    /// Called once, when the stream has ended.
    func didEnd()
}

extension StreamSubscription {
    /// Sends events from now on until the stream ends. The stream holds the subscription until then.
    func begin() {
        stream.send(.retry)
        stream.onDrain { self.catchUp() }
        rounds.start { self.observe(round: $0) }
        stream.onClose { _ in
            self.rounds.end()
            self.didEnd()
        }
    }

    /// Sends an event, or notes that the client is behind.
    func send(_ event: SharedBytes) {
        guard stream.send(event) == .full else { return }
        rounds.fallBehind()
        // It may have drained before it was marked.
        if !stream.isCongested { catchUp() }
    }

    private func catchUp() {
        if rounds.isBehind { rounds.start { self.observe(round: $0) } }
    }
}

/// Which observation of a stream is the present one, and whether events were left out of it.
final class ObservationRounds: Sendable {
    private struct State {
        var token: LiveToken?
        var isBehind = false
        var isOver = false
        var round = 0
    }

    private let state = Mutex(State())

    /// Whether an event was left out and the stream still goes on.
    var isBehind: Bool { state.withLock { $0.isBehind && !$0.isOver } }

    /// Whether what the round delivers is to be sent: an earlier round may still deliver when a later one has begun.
    func isCurrent(_ round: Int) -> Bool { state.withLock { $0.round == round && !$0.isOver } }

    func fallBehind() { state.withLock { $0.isBehind = true } }

    /// Begins the next round and ends the one before it.
    func start(_ observe: (_ round: Int) -> LiveToken) {
        let round = state.withLock { state in
            state.round += 1
            state.isBehind = false
            return state.round
        }
        let token = observe(round)
        let old = state.withLock { state in
            // What came to an end meanwhile must not be observed on.
            if state.isOver { return token as LiveToken? }
            defer { state.token = token }
            return state.token
        }
        old?.cancel()
    }

    func end() {
        let token = state.withLock { state in
            state.isOver = true
            defer { state.token = nil }
            return state.token
        }
        token?.cancel()
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
