package import HTTPMessages

/// A request with its body. It is a value and may leave the loop's thread.
package struct Request: Sendable {
    package var method: HTTPMethod
    /// Query items in the order sent, decoded (`+` is a space); names may repeat.
    package var query: [QueryItem]
    /// The body; empty if it is in a file.
    package internal(set) var body: [UInt8]
    /// Information from a middleware for those inside it.
    package var context: (any RequestContext)?
    /// Collects information about the request, if a middleware wants it.
    package var trace: RequestTrace?
    /// Whether it is handled on a loop's thread, which other requests wait for.
    package var isOnLoop = false
    /// The address of the peer, or of the client that a trusted proxy names.
    package internal(set) var remoteAddress: RemoteAddress
    /// Identifies the request in logs; unique within the process.
    package let id: UInt64

    private var headerBlock: HeaderBlock
    private let line: Line
    /// Nil if it has none of it.
    private var rarities: Box?

    /// What never changes. An object, because each middleware that adds something copies the request.
    private final class Line: Sendable {
        let target: String
        let segments: [String]

        init(_ target: String, _ segments: [String]) {
            self.target = target
            self.segments = segments
        }
    }

    /// What few requests have, and those that have it rarely change.
    private struct Rarities: Sendable {
        var bodyFile: BodyFile?
        var inner: (any RequestContext)?
        var again: (@Sendable () -> Reply)?
        var bodyLease: BodyMemory.Lease?
        var share: (any AnyObject & Sendable)?
        var hasReservedMemory = false
    }

    private final class Box: Sendable {
        let content: Rarities

        init(_ content: Rarities) { self.content = content }
    }

    /// - Parameter isNothing: whether the change only removes something.
    private mutating func change(unless isNothing: Bool, _ body: (inout Rarities) -> Void) {
        guard rarities != nil || !isNothing else { return }
        var content = rarities?.content ?? Rarities()
        body(&content)
        rarities = Box(content)
    }

    /// The request target as sent: percent-encoded, including the query.
    package var target: String { line.target }

    /// Percent-decoded path segments: `/v1/objects/a%2Fb` is `["v1", "objects", "a/b"]`, `/` is `[]`.
    package var segments: [String] { line.segments }

    /// The body of a route that accepts it as a file.
    package var bodyFile: BodyFile? {
        get { rarities?.content.bodyFile }
        set { change(unless: newValue == nil) { $0.bodyFile = newValue } }
    }

    /// Information from a handler for another that it calls.
    package var inner: (any RequestContext)? {
        get { rarities?.content.inner }
        set { change(unless: newValue == nil) { $0.inner = newValue } }
    }

    /// Handles the request again from the beginning, for work that finds its preparation out of date; nil after too
    /// many attempts.
    package var again: (@Sendable () -> Reply)? {
        get { rarities?.content.again }
        set { change(unless: newValue == nil) { $0.again = newValue } }
    }

    /// The memory of the body; nil for a short one.
    var bodyLease: BodyMemory.Lease? {
        get { rarities?.content.bodyLease }
        set { change(unless: newValue == nil) { $0.bodyLease = newValue } }
    }

    /// Memory that the request's work has reserved, until the last copy of the request is released.
    package var share: (any AnyObject & Sendable)? {
        get { rarities?.content.share }
        set { change(unless: newValue == nil) { $0.share = newValue } }
    }

    /// Whether the request has waited for the memory of its response.
    package var hasReservedMemory: Bool {
        get { rarities?.content.hasReservedMemory ?? false }
        set { change(unless: !newValue) { $0.hasReservedMemory = newValue } }
    }

    /// The path part of `target`, still percent-encoded.
    package var path: Substring { target.prefix { $0 != "?" } }

    /// Returns the first value of the query item; `""` if it has only a name, `nil` if it is absent.
    package func query(_ name: String) -> String? {
        query.first { $0.name == name }?.value
    }

    /// Returns all values of a repeatable query item, in the order sent.
    package func queryValues(_ name: String) -> [String] {
        query.compactMap { $0.name == name ? $0.value : nil }
    }

    /// Returns the header field's value, without regard to the name's case; repeated fields are joined with `, `. Cost:
    /// linear in the size of the header.
    package func header(_ name: String) -> String? {
        headerBlock.value(of: name)
    }

    /// Replaces or removes a header field in this request, for handlers that receive it from now on.
    package mutating func setHeader(_ name: String, _ value: String?) {
        headerBlock.set(name, value)
    }

    /// All header fields in the order sent.
    package var headers: HeaderFields { headerBlock.fields }

    /// Returns the equivalent GET of a resource: the parameters in this request's body, a form, are added to those of
    /// its query.
    ///
    /// - Parameters:
    ///   - segments: the path of the resource.
    ///   - form: the body, in the syntax of a query. Its parameters follow those of the query.
    ///   - names: the header fields to omit, because they do not concern the resource.
    /// - Throws: the 400 that a client would receive for a query with the form's text.
    package func read(of segments: [String], form: [UInt8], without names: [String]) throws(HTTPError) -> Request {
        let items = try parseForm(form)
        var read = Request(
            method: .get, target: target, parsedTarget: (segments, query + items), headerBlock: headerBlock, body: [],
            remoteAddress: remoteAddress, id: id)
        for name in names where read.header(name) != nil { read.setHeader(name, nil) }
        read.context = context
        read.trace = trace
        read.isOnLoop = isOnLoop
        return read
    }

    /// Creates a request in memory, for tests and internal calls.
    ///
    /// - Throws: the 400 for the client if the target is not properly percent-encoded UTF-8.
    package init(
        _ method: HTTPMethod, _ target: String, headers: HeaderFields = [:], body: [UInt8] = [],
        remoteAddress: RemoteAddress = .none, id: UInt64 = 0
    ) throws(HTTPError) {
        self.init(
            method: method, target: target, parsedTarget: try parseTarget(target), headerBlock: HeaderBlock(headers),
            body: body, remoteAddress: remoteAddress, id: id)
    }

    init(
        method: HTTPMethod, target: String, parsedTarget: (segments: [String], query: [QueryItem]),
        headerBlock: HeaderBlock, body: [UInt8], remoteAddress: RemoteAddress, id: UInt64
    ) {
        self.method = method
        line = Line(target, parsedTarget.segments)
        query = parsedTarget.query
        self.headerBlock = headerBlock
        self.body = body
        self.remoteAddress = remoteAddress
        self.id = id
    }
}

/// Information from a middleware for handlers. A class, because it is read often.
package protocol RequestContext: AnyObject, Sendable {}
