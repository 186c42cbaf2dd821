import AccessRules
import FairScheduling
import HTTPMessages
import HTTPProblems
package import HTTPServer
import Identity
package import LiveStreams
import ObjectCoding
package import ObjectModel
import ReadEndpoints
package import RequestHandling
import RequestParameters
import StoreContract
import Synchronization
import WireProtocol
import WriteRequests

/// Long polls: reads that respond when their response differs from the one that the client has. They are for clients
/// that no event stream reaches.
package final class LongPolling: Sendable {
    let context: GatewayContext
    let topics: Topics
    let polls: LongPolls

    package init(_ context: GatewayContext, _ topics: Topics) {
        self.context = context
        self.topics = topics
        polls = LongPolls(context.settings.now.uptime)
    }

    // MARK: Notifications

    /// The number of polls that wait for a change.
    package var count: Int { polls.count }

    /// Records a version that replaced the schema; see `LongPolls`.
    package func noteSchema(at version: Version) { polls.noteSchema(at: version) }

    /// Ends the polls whose time is up, which otherwise happens by itself.
    package func expire() { polls.expire() }

    /// Responds to all polls, because the server stops.
    package func endAll() { polls.endAll() }

    /// Ends the polls of callers whose permissions were lost or have changed.
    package func endInvalid() { polls.endInvalid() }

    // MARK: Reads

    /// Returns the handler of a read that also takes `wait` and `since`.
    package func polled(_ read: @escaping Handler) -> Handler {
        { [self] request, path in
            guard PollParameters.areGiven(request) else { return try read(request, path) }
            let longest = context.settings.now.longestPoll
            guard let poll = try PollParameters(request, longest: longest) else { return try read(request, path) }
            let isShared = Self.mayBeShared(request, try context.caller(of: request))
            return try self.poll(poll, request, path, read).mapHead { $0.headers.keep(isShared, status: $0.status) }
        }
    }

    private func poll(
        _ poll: PollParameters, _ request: Request, _ path: PathParameters, _ read: @escaping Handler
    ) throws -> Reply {
        var plain = request
        plain.query.removeAll { PollParameters.isOne($0) }
        if let since = poll.since, since.version > (try context.store.snapshot().version),
            context.store.sharedVersions != nil
        {
            return wait(for: since, poll, request, plain, path, read)
        }
        plain.setHeader("If-None-Match", nil)
        let caller = try context.caller(of: request)
        let probe = ReadProbe(caller.view, pinned: try context.store.snapshot())
        // With this header the handler checks the read, and does not run it.
        let checked = try read(plain.with(ifNoneMatch: "*").with(probe), path)
        // An error, or a read that says how it runs.
        guard let dependence = probe.dependence, case .now(let unchanged) = checked, unchanged.status == 304 else {
            return checked
        }
        let known: Mark
        switch try state(of: poll, plain, path, read, unchanged, caller.view) {
        case .known(let mark): known = mark
        case .other(let reply): return reply
        case .unknown: return try read(plain, path)
        }
        guard !polls.hasOtherSchema(since: known.version), try leadsThere(dependence, at: known, request) else {
            return try read(plain, path)
        }
        var lease: Quota.Lease?
        let seconds = context.isDraining.load(ordering: .relaxed) ? 0 : poll.seconds
        if seconds > 0 {
            lease = context.limits.streams.acquire(request.limitKey)
            if lease == nil { return .now(tooManyPolls()) }
        }
        var asked = plain
        asked.isOnLoop = false
        return .later { [self, lease, asked] responder in
            LongPoll(
                of: PolledRequest(request: asked, path: path, handler: read, caller: caller),
                dependence: dependence, probe: probe, known: known, isConditional: poll.tags != nil, lease: lease,
                responder,
                in: self
            ).begin(for: seconds)
        }
    }

    private enum KnownState {
        case known(Mark)
        /// The response differs already.
        case other(Reply)
        /// The client has none of this history's states.
        case unknown
    }

    /// The state whose response the client has.
    private func state(
        of poll: PollParameters, _ plain: Request, _ path: PathParameters, _ read: Handler, _ unchanged: Response,
        _ view: AccessView
    ) throws -> KnownState {
        if let since = poll.since { return try view.knows(since, in: context.store) ? .known(since) : .unknown }
        guard let tags = poll.tags else { return .unknown }
        let present = unchanged.headers[HeaderName.mark].flatMap { Mark($0) }
        guard case .some(let texts) = tags else { return present.map { .known($0) } ?? .unknown }
        let marks = try texts.compactMap { Mark($0) }.filter { try view.knows($0, in: context.store) }
        if let newest = marks.max(by: { $0.version < $1.version }) { return .known(newest) }
        // The tag of an object tells whether it is the same.
        let header = texts.map { "\"\($0)\"" }.joined(separator: ", ")
        let reply = try read(plain.with(ifNoneMatch: header), path)
        guard case .now(let response) = reply, response.status == 304,
            let mark = response.headers[HeaderName.mark].flatMap({ Mark($0) })
        else { return .other(reply) }
        return .known(mark)
    }

    /// Whether the path of a request led to the same target at an earlier state.
    private func leadsThere(_ dependence: ReadDependence, at mark: Mark, _ request: Request) throws -> Bool {
        guard let hopQueries = dependence.parts.first?.key.hopQueries, !hopQueries.isEmpty,
            mark.version != (try context.store.snapshot().version)
        else {
            return true
        }
        return try context.resumable(mark.version, hopQueries, try context.caller(of: request).view, request) != nil
    }

    /// Waits for a state that this gateway does not have yet, as others of its log may.
    private func wait(
        for mark: Mark, _ poll: PollParameters, _ request: Request, _ plain: Request, _ path: PathParameters,
        _ read: @escaping Handler
    ) -> Reply {
        let wait = Duration.milliseconds(min(poll.seconds * 1000, context.settings.now.readWaitMilliseconds))
        return .later { [self] responder in
            context.waits.wait(for: mark.version, wait, in: context.store) { [self] isThere in
                context.workers.reply(for: request.limitKey) { [self] in
                    var elsewhere = isThere ? request : plain
                    elsewhere.isOnLoop = false
                    return context.reply(to: elsewhere, path, isThere ? polled(read) : read)
                }.send(to: responder)
            }
        }
    }

    private func tooManyPolls() -> Response {
        context.requestCounters.limitedStreams.add(1, ordering: .relaxed)
        return HTTPError(
            .streamsLimited,
            detail:
                "You have \(context.limits.streams.limit) event streams and waiting reads open, which is your limit "
                + "(context.limits.streamsPerCaller). End one, or read without 'wait'.",
            headers: ["Retry-After": "5"]
        ).httpResponse
    }

    /// Whether caches may give the response to other callers, and to several that wait for it: that of a GET with the
    /// known state in its URL, from one of all who have no credential. A form's response does not follow from its URL.
    private static func mayBeShared(_ request: Request, _ caller: Caller) -> Bool {
        request.method == .get && !request.path.hasPrefix("/v1/query/") && request.query(PollParameters.since) != nil
            && caller.principal.credential == .none && request.header(HeaderName.atLeast) == nil
    }
}

extension HeaderFields {
    /// Says how long caches may use a response: until nearly all clients that waited for it have asked, so that one
    /// request of a cache serves them. One that says that nothing changed only for a moment, because its clients ask
    /// the same again.
    fileprivate mutating func keep(_ isShared: Bool, status: Int) {
        guard status < 400 else { return }
        let seconds = status == 200 ? 5 : 1
        self["Cache-Control"] = isShared ? "public, max-age=\(seconds)" : "private, no-cache"
    }
}

extension Request {
    func with(ifNoneMatch tags: String) -> Request {
        var request = self
        request.setHeader("If-None-Match", tags)
        return request
    }
}
