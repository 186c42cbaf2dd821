import AccessRules
package import HTTPMessages
package import HTTPServer
package import LiveStreams
package import ObjectModel

/// An open request: an event stream, or a long poll.
package final class OpenConnection: Sendable {
    /// What keeps it open.
    package enum Kind: Sendable {
        /// A stream, and what sends its events if that knows their cost.
        case stream(EventStream, (any CostedStream)?)
        /// A long poll, and how it responds at once.
        case read(end: @Sendable () -> Void)
    }

    /// Unique in this process.
    package let number: UInt64
    package let since: Timestamp
    package let kind: Kind
    package let address: RemoteAddress
    /// The request's identifier in the log; nil for one without.
    package let label: String?
    private let context: CallerContext?
    // What the owner of the stream has anyway; the whole request would keep its body and header, too.
    private let segments: [String]
    private let query: [QueryItem]

    init(_ number: UInt64, _ kind: Kind, of request: Request, since: Timestamp) {
        self.number = number
        self.kind = kind
        self.since = since
        address = request.remoteAddress
        label = request.trace?.label
        context = request.context as? CallerContext
        segments = request.segments
        query = request.query
    }

    package var caller: Caller { context?.caller ?? .unrestricted }

    /// The caller's name, as in the log; nil for a caller without identity.
    package var callerName: String? { context?.name }

    /// The name of the caller's role.
    package var roleName: String { caller.view.role.name }

    /// The path and the parameters, as a person reads them.
    package var target: String { ReadableTarget(segments, query).whole }

    package var stream: EventStream? { if case .stream(let stream, _) = kind { stream } else { nil } }

    /// What its events have cost so far; nil if that is not known.
    package var cost: StreamCost? { if case .stream(_, let owner?) = kind { owner.cost } else { nil } }

    /// What it has carried so far.
    package var traffic: EventStream.Traffic { stream?.traffic ?? EventStream.Traffic() }
}
