import FairScheduling
import HTTPMessages
package import HTTPServer
import ObjectCoding
import ObjectModel
package import RequestHandling
import StoreContract
import WireProtocol

/// Reading what one has written, at any gateway of a log.
extension GatewayContext {
    /// Has requests wait for the version that `Realmgate-At-Least` names, streams for the one of their last event, and
    /// pages for the one of their cursor.
    ///
    /// Responds with 503 when a replica does not have the version of `Realmgate-At-Least` in time, and with 409 when the
    /// store has another history, as one without a log does when it does not have the version: that one waits for
    /// nothing. A stream begins with `initial` instead, and a page is 410 `cursor.gone`.
    package func awaitVersions(_ request: Request, _ next: @escaping @Sendable (Request) -> Reply) -> Reply {
        let known: (mark: Mark, isRequired: Bool)
        do {
            guard let found = try knownMark(of: request), found.mark.version > (try store.snapshot().version) else {
                return awaitSnapshots(request, next)
            }
            // Without a log no other gateway can have made the version: it is of a history that a restore has ended.
            guard store.sharedVersions != nil else {
                if found.isRequired { throw lost(found.mark) }
                return awaitSnapshots(request, next)
            }
            known = found
        } catch {
            return .now(response(to: error, of: request))
        }
        let wait = Duration.milliseconds(settings.now.readWaitMilliseconds)
        return .later { [self] responder in
            waits.wait(for: known.mark.version, wait, in: store) { [self] isThere in
                do {
                    if known.isRequired {
                        guard isThere else { throw behind(known.mark) }
                        try checkHistory(known.mark)
                    }
                } catch {
                    return responder.send(response(to: error, of: request))
                }
                workers.reply(for: request.limitKey) { [self] in awaitSnapshots(request, next) }
                    .send(to: responder)
            }
        }
    }

    /// Has a request wait for the snapshots of other gateways that its target names. It goes on when they do not come.
    private func awaitSnapshots(_ request: Request, _ next: @escaping @Sendable (Request) -> Reply) -> Reply {
        guard store.sharedVersions != nil else { return next(request) }
        var ids = parameters(of: request).compactMap {
            [ParameterName.snapshot, "to"].contains($0.name) ? $0.value : nil
        }
        if request.segments.count >= 3, request.segments[1] == "snapshots" { ids.append(request.segments[2]) }
        guard let last = ids.compactMap({ sharedVersion(of: $0) }).max(), last > waits.announced else {
            return next(request)
        }
        return .later { [self] responder in
            waits.wait(forAnnounced: last, .milliseconds(settings.now.readWaitMilliseconds)) { [self] _ in
                workers.reply(for: request.limitKey) { next(request) }.send(to: responder)
            }
        }
    }

    /// The latest state that the client names; nil when it names none.
    private func knownMark(of request: Request) throws -> (mark: Mark, isRequired: Bool)? {
        guard let text = request.header(HeaderName.atLeast) else {
            if let id = request.lastEventID { return (Mark(id) ?? StreamPosition(id)?.newest).map { ($0, false) } }
            // Only another gateway can have made a cursor's page at a version that is not here yet.
            guard store.sharedVersions != nil else { return nil }
            let cursor = parameters(of: request).first { $0.name == "after" }
            return cursor.flatMap { CursorCoding.mark(of: $0.value) }.map { ($0, false) }
        }
        guard let mark = Mark(text) else {
            throw Problem(
                .headerInvalid,
                "'\(HeaderName.atLeast)' is not a mark. Send the value of a response's '\(HeaderName.mark)'.",
                parameter: HeaderName.atLeast)
        }
        try checkHistory(mark)
        return (mark, true)
    }

    /// Throws if a version that the store has is of another history.
    private func checkHistory(_ mark: Mark) throws {
        guard let tag = try store.tag(of: mark.version), !mark.isOf(tag) else { return }
        throw lost(mark)
    }

    private func lost(_ mark: Mark) -> StoreError {
        StoreError(
            .historyLost,
            "The mark '\(mark)' is of a history that this server does not have: a backup was restored, or commits were lost. Read again without '\(HeaderName.atLeast)'."
        )
    }

    private func behind(_ mark: Mark) -> StoreError {
        StoreError(
            .behind,
            "This server does not have version \(mark.version.rawValue) yet. Repeat the request, here or at another server."
        )
    }

    /// The parameters of a request's query, and of the form that a query has in its body.
    private func parameters(of request: Request) -> [QueryItem] {
        guard request.method == .post, request.segments.dropFirst().first == "query" else { return request.query }
        return (try? request.read(of: request.segments, form: request.body, without: []).query) ?? request.query
    }
}
