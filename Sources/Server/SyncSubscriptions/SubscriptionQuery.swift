import JSONCoding
import ObjectCoding
import WireProtocol

/// What a subscription observes as its client wrote it: the parameters for observing a class, or the path of another
/// stream.
package struct SubscriptionQuery: Hashable, Sendable {
    /// The class, or the one that the path begins with.
    package var className: String
    /// See `ObservedPath`; nil for a query of the class.
    package var path: String?
    /// The parameters of the query by name.
    package var parameters: [String: String] = [:]

    static let pathName = "path"

    /// The members of a request's body that are parameters, in the order in which they are written.
    static let names = [
        ParameterName.filter, ParameterName.arguments, ParameterName.sort, "distinct", ParameterName.limit,
        ParameterName.fields, "expand", ParameterName.keyPaths, "include", "types",
    ]

    /// Parses the members of a body or of a saved set. Throws 400.
    init(_ body: JSONObject) throws(Problem) {
        let given = body[SubscriptionForm.Field.class].flatMap { $0 == .null ? nil : $0 }
        if let path = body[Self.pathName], path != .null {
            (self.path, className) = try Self.observed(path, body, className: given)
            return
        }
        guard case .string(let className)? = given else {
            throw Problem(
                .subscriptionInvalid,
                "Give 'class', the class to subscribe to, or 'path', what follows /v1/observe/ in the URL of a stream.",
                property: "class")
        }
        self.className = className
        for member in body.members where Self.names.contains(member.name) {
            parameters[member.name] = try Self.text(member)
        }
    }

    /// Parses the path of a stream, beside which a body has no parameters. Returns it, and its class.
    private static func observed(
        _ path: JSONValue, _ body: JSONObject, className given: JSONValue?
    ) throws(Problem) -> (path: String?, className: String) {
        guard case .string(let path) = path else {
            throw Problem(.subscriptionInvalid, "'path' is a string, not \(path.inWords).", property: pathName)
        }
        let observed = try ObservedPath(path)
        guard given == nil || given == .string(observed.className) else {
            throw Problem(
                .subscriptionInvalid,
                "'class' is not the class of 'path', which is \(observed.className). Leave it out.", property: "class")
        }
        for member in body.members where names.contains(member.name) && member.value != .null {
            throw Problem(
                .subscriptionInvalid,
                "'\(member.name)' stands in 'path', as in the URL of the stream: \(path.prefix { $0 != "?" })?\(member.name)=….",
                property: member.name)
        }
        return (path, observed.className)
    }

    /// Returns a member in the form of a URL parameter.
    private static func text(_ member: JSONObject.Member) throws(Problem) -> String? {
        switch (member.name, member.value) {
        case (_, .null): return nil
        case ("args", .array):
            let json = JSONWriter(capacity: 256)
            json.value(member.value)
            return String(decoding: json.bytes, as: UTF8.self)
        case ("limit", .int(let number)): return String(number)
        // JSON has only one number type, and some writers add a fraction.
        case ("limit", .double(let number)): if let whole = Int64(exactly: number) { return String(whole) }
        case ("limit", _), ("args", _): break
        case (_, .string(let text)): return text
        case ("sort", .array(let parts)), ("distinct", .array(let parts)), ("fields", .array(let parts)),
            ("expand", .array(let parts)), ("keyPaths", .array(let parts)):
            let texts = parts.compactMap { part in
                if case .string(let text) = part { text } else { nil as String? }
            }
            if texts.isEmpty, parts.isEmpty, member.name != "fields" { return nil }
            if texts.count == parts.count, !texts.isEmpty { return texts.joined(separator: ",") }
        default: break
        }
        let expected =
            switch member.name {
            case "args": "an array of values"
            case "limit": "a whole number"
            case "filter", "include", "types": "a string"
            default: "a string, or an array of strings"
            }
        var found = member.value.inWords
        if case .array(let parts) = member.value {
            let stranger = parts.first { if case .string = $0 { false } else { true } }
            found = parts.isEmpty ? "an empty array" : stranger.map { "an array with \($0.inWords)" } ?? found
        }
        throw Problem(
            .subscriptionInvalid, "'\(member.name)' is \(expected), not \(found).",
            property: member.name)
    }

    /// Writes the members that the query was parsed from.
    func write(into json: JSONWriter) {
        json.name(SubscriptionForm.Field.class)
        json.string(className)
        if let path {
            json.name(Self.pathName)
            json.string(path)
        }
        for name in Self.names {
            guard let text = parameters[name] else { continue }
            json.name(name)
            switch name {
            // It arrived as JSON.
            case "args": json.json(Array(text.utf8))
            case "limit": Int64(text).map { json.int($0) } ?? json.null()
            default: json.string(text)
            }
        }
    }
}
