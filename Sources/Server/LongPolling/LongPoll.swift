import FairScheduling
import HTTPProblems
import HTTPMessages
import HTTPServer
import LiveStreams
import ObjectCoding
import ObjectModel
import ReadEndpoints
import RequestHandling
import StoreContract
import Synchronization
import WireProtocol
import WriteRequests

/// A read that responds when its response differs from the one that the client has, or when the time is up.
///
/// While it waits, it occupies no thread. Live queries report when the response may differ; only then does a worker
/// read. Some of the changes that they report do not change the response, so the worker compares it with the earlier
/// one.
final class LongPoll: Sendable {
    private enum Phase {
        /// The response that later ones are compared with is being read.
        case beginning
        case waiting
        /// A response is being read.
        case reading
        /// The time is up: what was committed before must still be reported.
        case ending
        case over
    }

    private struct State {
        var phase = Phase.beginning
        var watches: [ChangeWatch] = []
        /// The response that the client has; nil if every reported change counts as one of the response.
        var base: (content: UInt64, version: Version)?
        /// The version at which a response was last equal to `base`.
        var compared = Version(0)
        /// Whether the response is sent without a comparison.
        var isCertain = false
        /// Whether a change was reported while a response was being read.
        var hasChanges = false
        var isExpired = false
        /// The number of the request among the open connections; nil for one that does not wait.
        var connection: UInt64?
        var lease: Quota.Lease?
        /// Pins the version that the request found, until the worker has read it.
        var probe: ReadProbe?
    }

    let polled: PolledRequest
    private let dependence: ReadDependence
    /// The state whose response the client has.
    private let known: Mark
    /// Whether the request is conditional, as HTTP defines it.
    private let isConditional: Bool
    private let responder: Responder
    private let polling: LongPolling
    private let state: Mutex<State>

    init(
        of polled: PolledRequest, dependence: ReadDependence, probe: ReadProbe, known: Mark, isConditional: Bool,
        lease: Quota.Lease?, _ responder: Responder, in polling: LongPolling
    ) {
        self.polled = polled
        self.dependence = dependence
        self.known = known
        self.isConditional = isConditional
        self.responder = responder
        self.polling = polling
        state = Mutex(State(lease: lease, probe: dependence.isExact ? nil : probe))
    }

    private var account: LimitKey { polled.request.limitKey }

    /// - Parameter seconds: the maximum time that it waits.
    func begin(for seconds: Int) {
        register(for: seconds)
        responder.client.onEnd { [weak self] in self?.endEarly() }
        // The server may have begun to stop, and the permissions may have changed, since the request arrived.
        if polling.context.isDraining.load(ordering: .relaxed) { return endEarly() }
        endUnlessValid()
        if polling.polls.hasOtherSchema(since: known.version) { endWait() }
        if seconds == 0 { expire() }
        if dependence.isExact { return watch() }
        onWorker { [self] in readBase() }
    }

    private func register(for seconds: Int) {
        polling.polls.add(self, for: seconds)
        guard seconds > 0 else { return }
        let context = polling.context
        let number = context.connections.add(read: polled.request, since: context.settings.now.clock()) { [weak self] in
            self?.endEarly()
        }
        let isOver = state.withLock { state in
            state.connection = number
            return state.phase == .over
        }
        // The read ended before it had a number.
        if isOver { context.connections.remove(number) }
    }

    func onWorker(_ work: @escaping @Sendable () -> Void) {
        polling.context.workers.run(for: account, responder.client, work)
    }

    /// Runs the read.
    func reply() -> Reply { polling.context.reply(to: polled.request, polled.path, polled.handler) }

    private func readBase() {
        // The probe pins the client's state if that was the newest when the request arrived.
        let probe = state.withLock { state in
            defer { state.probe = nil }
            return state.probe
        }
        let request = probe.map { polled.request.with($0) } ?? polled.request
        let reply = polling.context.reply(to: request, polled.path, polled.handler)
        guard case .now(let response) = reply, response.status == 200 else { return finish(with: reply) }
        // Without content that can be compared, every change counts. The content at a version after the client's cannot
        // be compared either: both responses would contain what changed between the two versions.
        if let content = response.content(isObject: dependence.isObject),
            let version = response.headers[HeaderName.mark].flatMap({ Mark($0) })?.version, version == known.version
        {
            state.withLock { $0.base = (content, version) }
        }
        watch()
    }

    private func watch() {
        let (isExpired, isCertain) = state.withLock { state in
            if state.phase == .beginning { state.phase = state.isCertain ? .reading : .waiting }
            return (state.isExpired, state.phase == .reading)
        }
        if isCertain { return polling.polls.readResponse(for: self) }
        let watches = dependence.parts.map { part in
            polling.topics.watch(part, since: known.version, for: account) { [weak self] in self?.handle($0) }
        }
        state.withLock { if $0.phase != .over { $0.watches = watches } }
        if isExpired { expire() }
    }

    /// Sends the current response, whether or not it differs.
    func endWait() { handle(.changed(nil)) }

    /// Called on the thread of live queries, or on that of `LongPolls`.
    private func handle(_ notification: ChangeWatch.Notification) {
        switch notification {
        case .failed(let error): finish(with: polling.context.response(to: error, of: polled.request))
        case .changed(let version):
            let mustRead = state.withLock { state in
                if let base = state.base, let version, version > base.version {
                    if version <= state.compared { return false }
                } else {
                    state.isCertain = true
                }
                switch state.phase {
                case .waiting, .ending:
                    state.phase = .reading
                    return true
                case .reading: state.hasChanges = true
                case .beginning, .over: break
                }
                return false
            }
            if mustRead { polling.polls.readResponse(for: self) }
        }
    }

    private enum Step {
        case send
        case readAgain
        case wait
        case end
        case nothing
    }

    /// Compares the response at a version at which it may differ.
    func compare(_ response: Response) {
        let content = response.status == 200 ? response.content(isObject: dependence.isObject) : nil
        let version = response.headers[HeaderName.mark].flatMap { Mark($0) }?.version
        let step = state.withLock { state -> Step in
            guard state.phase == .reading else { return .nothing }
            guard !state.isCertain, let base = state.base, base.content == content, let version else { return .send }
            state.compared = max(state.compared, version)
            if state.hasChanges {
                state.hasChanges = false
                return .readAgain
            }
            state.phase = .waiting
            return state.isExpired ? .end : .wait
        }
        switch step {
        case .send: finish(with: response)
        case .readAgain: polling.polls.readResponse(for: self)
        case .end: expire()
        case .wait, .nothing: break
        }
    }

    // MARK: Ends

    /// The time is up.
    func expire() {
        let mustEnd = state.withLock { state in
            state.isExpired = true
            guard state.phase == .waiting else { return false }
            state.phase = .ending
            return true
        }
        if mustEnd { onWorker { [self] in confirm() } }
    }

    /// Responds that nothing changed up to the current version, after all changes up to it have been reported.
    private func confirm() {
        let probe = ReadProbe(polled.caller.view)
        let reply = polling.context.reply(
            to: polled.request.with(ifNoneMatch: "*").with(probe), polled.path, polled.handler)
        guard case .now(let unchanged) = reply, unchanged.status == 304,
            let mark = unchanged.headers[HeaderName.mark].flatMap({ Mark($0) }), let found = probe.dependence
        else { return finish(with: reply) }
        // The path of the request leads to another object by now.
        guard found.parts == dependence.parts else { return handle(.changed(nil)) }
        var quiet = Response.empty(quietStatus)
        quiet.headers = unchanged.headers
        let response = quiet
        let watches = state.withLock { $0.watches }
        settle(watches[...], mark.version) { [weak self] in self?.finish(with: response, if: .ending) }
    }

    private func settle(
        _ watches: ArraySlice<ChangeWatch>, _ version: Version, then action: @escaping @Sendable () -> Void
    ) {
        guard let watch = watches.first else { return action() }
        watch.whenNotified(version) { [weak self] in self?.settle(watches.dropFirst(), version, then: action) }
    }

    /// Responds early that no change has been found, because the client leaves or the server stops.
    func endEarly() {
        var quiet = Response.empty(quietStatus)
        quiet.headers.add(known)
        finish(with: quiet)
    }

    /// Ends the read if the caller has lost its permissions or they have changed.
    func endUnlessValid() {
        guard let access = polling.context.access, !access.isValid(polled.caller) else { return }
        finish(with: OpenConnections.accessEnded.httpResponse)
    }

    /// Caches accept a 304 only as the response to a conditional request.
    private var quietStatus: Int { isConditional ? 304 : 204 }

    private func finish(with response: Response, if phase: Phase? = nil) {
        finish(with: .now(response), if: phase)
    }

    func finish(with reply: Reply) { finish(with: reply, if: nil) }

    private func finish(with reply: Reply, if phase: Phase?) {
        let released: (watches: [ChangeWatch], lease: Quota.Lease?, connection: UInt64?)? = state.withLock { state in
            guard state.phase != .over, phase == nil || state.phase == phase else { return nil }
            state.phase = .over
            defer { (state.watches, state.lease, state.probe) = ([], nil, nil) }
            return (state.watches, state.lease, state.connection)
        }
        guard let released else { return }
        polling.polls.remove(self)
        if let number = released.connection { polling.context.connections.remove(number) }
        responder.client.forgetAction()
        reply.send(to: responder)
        // Released outside of the lock.
        withExtendedLifetime(released) {}
    }
}
