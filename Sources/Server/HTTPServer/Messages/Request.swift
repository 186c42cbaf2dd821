/// One request, complete with its body. A value: it may leave the loop's thread.
package struct Request: Sendable {
    package var method: HTTPMethod
    /// The request target as sent, still percent-encoded, query included.
    package let target: String
    /// Percent-decoded path segments: `/v1/objects/a%2Fb` is `["v1", "objects", "a/b"]`, `/` is `[]`.
    package let segments: [String]
    /// Query items in the order sent, decoded (`+` is a space); names may repeat.
    package var query: [QueryItem]
    /// Empty when the body is in a file.
    package internal(set) var body: [UInt8]
    /// The body of a route that takes it as a file.
    package var bodyFile: BodyFile?
    /// What a middleware found out about the request, for those inside it.
    package var context: (any RequestContext)?
    /// Answers it once more from the beginning, for work that finds what it prepared out of date; nil when it was tried
    /// often enough.
    package var again: (@Sendable () -> Reply)?
    /// What is found out about it, where somebody wants to know.
    package var trace: RequestTrace?
    /// Whether it is being answered on a loop's thread, where others wait for the end of what is done.
    package var isOnLoop = false
    /// The peer's, or the client's that a trusted proxy names.
    package internal(set) var remoteAddress: RemoteAddress
    /// Identifies the request in logs; unique within the process.
    package let id: UInt64

    private var headerBlock: HeaderBlock

    /// The path part of `target`, still percent-encoded.
    package var path: Substring { target.prefix { $0 != "?" } }

    /// The first value of the query item, `""` when it has a name only, `nil` when it is absent.
    package func query(_ name: String) -> String? {
        query.first { $0.name == name }?.value
    }

    /// All values of a repeatable query item, in the order sent.
    package func queryValues(_ name: String) -> [String] {
        query.compactMap { $0.name == name ? $0.value : nil }
    }

    /// The header field's value, names without regard to case; repeated fields are joined with `, `. Linear in
    /// the size of the header.
    package func header(_ name: String) -> String? {
        headerBlock.value(of: name)
    }

    /// Replaces a header field, or takes it out, for those who see this request from now on.
    package mutating func setHeader(_ name: String, _ value: String?) {
        var fields = headerBlock.fields
        fields[name] = value
        headerBlock = HeaderBlock(fields)
    }

    /// All header fields in the order sent.
    package var headers: HeaderFields { headerBlock.fields }

    /// A request made in memory, as tests and internal calls do.
    ///
    /// - Throws: the 400 that a client would get for a target that is not properly percent-encoded UTF-8.
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
        self.target = target
        (segments, query) = parsedTarget
        self.headerBlock = headerBlock
        self.body = body
        self.remoteAddress = remoteAddress
        self.id = id
    }
}

/// What a middleware tells handlers about a request. A class, because it is asked for often.
package protocol RequestContext: AnyObject, Sendable {}

/// One `name=value` of a query string, decoded.
package struct QueryItem: Sendable, Equatable {
    package var name: String
    package var value: String

    package init(name: String, value: String) {
        self.name = name
        self.value = value
    }
}
