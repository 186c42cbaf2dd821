import HTTPMessages
import HTTPServer
import ObjectCoding
import ObjectModel
import RequestHandling
import RequestParameters
import StoreContract
import WireProtocol
import WriteRequests

/// The parameters of a read whose response waits for a change.
struct PollParameters: Sendable {
    static let wait = "wait"
    static let since = "since"

    /// The seconds that it waits at most.
    let seconds: Int
    /// The state that the client knows, as `since` gives it.
    let since: Mark?
    /// The same for clients that send `If-None-Match`; nil for none.
    let tags: EntityTags?

    /// Nil for a read without these parameters. Throws 400 for values that they cannot have.
    init?(_ request: Request, longest: Int) throws(Problem) {
        guard Self.areGiven(request) else { return nil }
        for name in [Self.wait, Self.since] where request.queryValues(name).count > 1 {
            throw Problem(
                .parameterRepeated, "The parameter '\(name)' is given more than once. Give it once.", parameter: name)
        }
        guard request.query(ParameterName.snapshot) == nil else {
            throw Problem(
                .snapshotNotPossible,
                "A snapshot does not change: nothing can be waited for. Leave 'snapshot' out, or 'wait' and 'since'.",
                parameter: ParameterName.snapshot)
        }
        let wait = try QueryParameters([Self.wait: request.query(Self.wait) ?? "0"])
            .integer(Self.wait, in: 0...Int.max)
        seconds = min(wait ?? 0, longest)
        since = try request.query(Self.since).map { text throws(Problem) in
            // Tags of lists are marks in quotes.
            let isQuoted = text.count > 1 && text.hasPrefix("\"") && text.hasSuffix("\"")
            let unquoted = isQuoted ? text.dropFirst().dropLast() : text[...]
            guard let mark = Mark(unquoted) else {
                throw Problem(
                    .parameterInvalid,
                    "'since' is not a mark. Send the '\(HeaderName.mark)' of the response that you have.",
                    parameter: Self.since)
            }
            return mark
        }
        tags = try EntityTags(request, "If-None-Match")
    }

    /// Whether a read waits.
    static func areGiven(_ request: Request) -> Bool { request.query.contains { isOne($0) } }

    /// Whether a parameter is for the waiting, and not one of the read.
    static func isOne(_ item: QueryItem) -> Bool { item.name == wait || item.name == since }
}
