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

/// A read whose response waits until it differs from the one that the client has, or until the time is up.
///
/// It takes no thread meanwhile: live queries tell when the response may differ, and only then a worker reads. Where
/// not every change that they tell is one of the response, the response is compared with what it was.
final class HeldRead: Sendable {
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
        /// What the client has; nil where every change is one of the response.
        var base: (content: UInt64, version: Version)?
        /// The version of the last response that was equal to it.
        var compared = Version(0)
        /// Whether the response is sent without a comparison.
        var isCertain = false
        /// Whether a change was reported while a response was being read.
        var hasChanges = false
        var isExpired = false
        /// Its number among the open connections; nil for one that does not wait.
        var connection: UInt64?
        var lease: Quota.Lease?
        /// Has the version that the request found; nil once that was read.
        var probe: ReadProbe?
    }

    let read: WaitingRead
    private let dependence: ReadDependence
    /// The state whose response the client has.
    private let known: Mark
    /// Whether the request is a conditional one in HTTP's sense.
    private let isConditional: Bool
    private let responder: Responder
    private let polls: LongPolling
    private let state: Mutex<State>

    init(
        read: WaitingRead, dependence: ReadDependence, probe: ReadProbe, known: Mark, isConditional: Bool,
        lease: Quota.Lease?, _ responder: Responder, in polls: LongPolling
    ) {
        self.read = read
        self.dependence = dependence
        self.known = known
        self.isConditional = isConditional
        self.responder = responder
        self.polls = polls
        state = Mutex(State(lease: lease, probe: dependence.isExact ? nil : probe))
    }

    private var account: LimitKey { read.request.limitKey }

    /// - Parameter seconds: how long it waits at most.
    func begin(for seconds: Int) {
        register(for: seconds)
        responder.client.onEnd { [weak self] in self?.endEarly() }
        // They may have changed since the request came.
        if polls.context.isDraining.load(ordering: .relaxed) { return endEarly() }
        endUnlessValid()
        if polls.heldReads.hasOtherSchema(since: known.version) { endWait() }
        if seconds == 0 { expire() }
        if dependence.isExact { return watch() }
        onWorker { [self] in readBase() }
    }

    private func register(for seconds: Int) {
        polls.heldReads.add(self, for: seconds)
        guard seconds > 0 else { return }
        let context = polls.context
        let number = context.connections.add(read: read.request, since: context.configuration.clock()) { [weak self] in
            self?.endEarly()
        }
        let isOver = state.withLock { state in
            state.connection = number
            return state.phase == .over
        }
        // It was ended in between.
        if isOver { context.connections.remove(number) }
    }

    func onWorker(_ work: @escaping @Sendable () -> Void) {
        polls.context.workers.run(for: account, responder.client, work)
    }

    /// Does the read.
    func answer() -> Reply { polls.context.answer(read.request, read.path, read.handler) }

    private func readBase() {
        // The client's state, if that was the newest when it asked.
        let probe = state.withLock { state in
            defer { state.probe = nil }
            return state.probe
        }
        let request = probe.map { read.request.with($0) } ?? read.request
        let reply = polls.context.answer(request, read.path, read.handler)
        guard case .now(let response) = reply, response.status == 200 else { return finish(with: reply) }
        // Without a content that can be compared, every change counts. That of a later state than the client's is none:
        // what changed between them would be in both responses that are compared.
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
        if isCertain { return polls.heldReads.readResponse(for: self) }
        let watches = dependence.parts.map { part in
            polls.topics.watch(part, since: known.version, for: account) { [weak self] in self?.take($0) }
        }
        state.withLock { if $0.phase != .over { $0.watches = watches } }
        if isExpired { expire() }
    }

    /// Sends the present response, whether or not it differs.
    func endWait() { take(.changed(nil)) }

    /// On the thread of live queries or of held reads.
    private func take(_ notification: ChangeWatch.Notification) {
        switch notification {
        case .failed(let error): finish(with: polls.context.response(to: error, of: read.request))
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
            if mustRead { polls.heldReads.readResponse(for: self) }
        }
    }

    private enum Step {
        case send
        case readAgain
        case wait
        case end
        case nothing
    }

    /// Takes the response of a version at which it may differ.
    func take(_ response: Response) {
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
        case .readAgain: polls.heldReads.readResponse(for: self)
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

    /// Responds that nothing changed up to the present version, once all changes up to it have been reported.
    private func confirm() {
        let probe = ReadProbe(read.caller.view)
        let reply = polls.context.answer(read.request.with(ifNoneMatch: "*").with(probe), read.path, read.handler)
        guard case .now(let unchanged) = reply, unchanged.status == 304,
            let mark = unchanged.headers[HeaderName.mark].flatMap({ Mark($0) }), let found = probe.dependence
        else { return finish(with: reply) }
        // The request means something else by now.
        guard found.parts == dependence.parts else { return take(.changed(nil)) }
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

    /// Responds before the time is up that nothing is known to have changed: the client leaves, or the server stops.
    func endEarly() {
        var quiet = Response.empty(quietStatus)
        quiet.headers.add(known)
        finish(with: quiet)
    }

    /// Ends it if the caller's permissions were lost or have changed.
    func endUnlessValid() {
        guard let access = polls.context.access, !access.isValid(read.caller) else { return }
        finish(with: OpenConnections.accessEnded.httpResponse)
    }

    /// Caches take a 304 only for a request that is a conditional one.
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
        polls.heldReads.remove(self)
        if let number = released.connection { polls.context.connections.remove(number) }
        responder.client.forgetAction()
        reply.answer(responder)
        // Released outside of the lock.
        withExtendedLifetime(released) {}
    }
}

extension Response {
    /// Identifies what it shows, whatever version that is of; nil for a body that is written while it is sent.
    ///
    /// - Parameter isObject: whether it is an object of the database, whose members are all its own.
    fileprivate func content(isObject: Bool) -> UInt64? {
        func content(_ all: UnsafeBufferPointer<UInt8>) -> UInt64 {
            Fingerprint.of(isObject ? all : all.withoutVersion)
        }
        return switch body {
        case .bytes(let bytes): bytes.withUnsafeBufferPointer(content)
        case .shared(let bytes):
            bytes.withUnsafeBytes { all in all.withMemoryRebound(to: UInt8.self, content) }
        case .empty, .pieces: nil
        }
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// A response without its version at the beginning, and without the cursor at the end of a page, which has the
    /// version, too.
    fileprivate var withoutVersion: UnsafeBufferPointer<UInt8> {
        var (start, end) = (0, count)
        if starts(with: #"{"version":"#.utf8) { start = firstIndex(of: UInt8(ascii: ",")) ?? start }
        let quote = UInt8(ascii: "\"")
        if suffix(2).elementsEqual(#""}"#.utf8), let open = self[..<(count - 2)].lastIndex(of: quote),
            self[..<open].suffix(8).elementsEqual(#","next":"#.utf8)
        {
            end = open
        }
        return UnsafeBufferPointer(rebasing: self[start..<Swift.max(start, end)])
    }
}

/// A read that is responded to later: the request without what makes it wait, and for whom it is.
struct WaitingRead: Sendable {
    let request: Request
    let path: PathParameters
    let handler: Handler
    let caller: Caller

    /// Equal for reads with the same response.
    struct Identity: Hashable {
        let method: HTTPMethod
        let segments: [String]
        let query: [QueryItem]
        let caller: Caller
    }

    var identity: Identity {
        Identity(method: request.method, segments: request.segments, query: request.query, caller: caller)
    }
}
