package import HTTPServer
import JSONCoding
package import ObjectCoding

extension Problem: HTTPErrorConvertible {
    package var status: Int { StatusTable.statuses[code] ?? 500 }

    package var httpResponse: Response {
        let writer = JSONWriter(capacity: 512)
        encode(into: writer)
        var response = Response(status: status, contentType: "application/problem+json", body: writer.bytes)
        if status == 401 {
            let error = code == Code.authRequired.rawValue ? "" : ", error=\"invalid_token\""
            response.headers["WWW-Authenticate"] = "Bearer realm=\"realmgate\"" + error
        }
        if let retryAfter { response.headers["Retry-After"] = String(retryAfter) }
        return response
    }

    /// Writes the document, also for the `error` event of a stream.
    func encode(into writer: JSONWriter) {
        writer.beginObject()
        writer.name("type")
        writer.string("about:blank")
        writer.name("title")
        writer.string(status == 507 ? "Insufficient Storage" : reasonPhrase(status))
        writer.name("status")
        writer.int(status)
        writer.name("detail")
        writer.string(detail)
        writer.name("code")
        writer.string(code)
        for (name, value) in [("parameter", parameter), ("property", property), ("path", path), ("hint", hint)] {
            guard let value else { continue }
            writer.name(name)
            writer.string(value)
        }
        for (name, number) in [("operation", operation), ("position", position), ("length", length)] {
            guard let number else { continue }
            writer.name(name)
            writer.int(number)
        }
        if !expected.isEmpty {
            writer.name("expected")
            writer.beginArray()
            for word in expected { writer.string(word) }
            writer.endArray()
        }
        if !faults.isEmpty { writer.faults(faults) }
        if !lines.isEmpty { writer.lines(lines) }
        if let imported { writer.importCounts(imported) }
        writer.endObject()
    }
}
