package import HTTPMessages
package import HTTPServer
package import JSONCoding
package import ObjectCoding
package import ObjectModel
package import StoreContract
import WireProtocol
package import WriteRequests

extension Request {
    /// Returns 304 if the client has the response with this tag.
    ///
    /// - Parameter mark: the state of the store that was read, if any.
    package func notModified(_ tag: EntityTag, at mark: Mark? = nil) throws(Problem) -> Response? {
        guard let known = try EntityTags(self, "If-None-Match"), known.contains(tag) else { return nil }
        var response = Response(status: 304, headers: ["ETag": tag.header])
        if let mark { response.headers.add(mark) }
        return response
    }
}

extension Response {
    /// Returns the written JSON without copying it if it is long; the writer starts empty then.
    package static func json(_ json: JSONWriter) -> Response {
        guard json.count > 16 << 10 else { return .json(json.bytes) }
        var response = Response.json([])
        response.body = .shared(SharedBytes(adopting: json.releaseBuffer()))
        return response
    }

    /// Returns the JSON of a state of the store, with its mark as the tag.
    package static func json(_ json: JSONWriter, of snapshot: any Snapshot) -> Response {
        var response = Response.json(json)
        let mark = snapshot.mark
        response.headers.add("ETag", EntityTag(mark).header)
        response.headers.add(mark)
        return response
    }
}

extension HeaderFields {
    /// Adds the mark of the state that a response shows.
    package mutating func add(_ mark: Mark) { add(HeaderName.mark, mark.description) }
}
