import ObjectModel
package import HTTPMessages
package import JSONCoding
package import ObjectCoding
package import QuerySyntax
package import StoreContract

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
    package func encode(into writer: JSONWriter) {
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

extension JSONWriter {
    /// Writes what an import that ended early has done.
    fileprivate func importCounts(_ part: ImportedPart) {
        if let version = part.version {
            name("version")
            int(version.rawValue)
        }
        for (member, number) in [
            ("created", part.created), ("modified", part.modified), ("refused", part.refused),
            ("unchanged", part.unchanged), ("incomplete", part.incomplete), ("lines", part.lines),
        ] {
            name(member)
            int(number)
        }
        if let line = part.line {
            name("line")
            int(line)
        }
    }
}

extension Problem {
    package init(_ error: StoreError) {
        self.init(error.code, error.message, property: error.property, hint: error.hint)
        if status == 503 { retryAfter = 1 }
    }

    /// - Parameters:
    ///   - text: the text that the error's position refers to.
    package init(_ error: QueryError, parameter: String, text: String) {
        let rest = text.unicodeScalars.dropFirst(max(0, error.position))
        self.init(
            error.code, error.message, parameter: parameter,
            position: text.utf8.count - rest.reduce(0) { $0 + UTF8.width($1) }, hint: error.hint)
        length = rest.prefix(max(0, error.length)).reduce(0) { $0 + UTF8.width($1) }
        expected = error.expected
    }

    /// - Parameter parameter: the query parameter that contains the JSON; nil for the body.
    package init(_ error: JSONError, parameter: String? = nil) {
        let position = error.line > 1 ? "line \(error.line), column \(error.column)" : "column \(error.column)"
        let detail = parameter.map { "\($0), \(position): \(error.message)" } ?? "Body, \(position): \(error.message)"
        self.init(error.code, detail, parameter: parameter, position: error.position)
    }

    /// The response to an internal error.
    package static let internalError = Problem(
        HTTPError.Code.internalError, "The server could not answer this request. Its log says why.")
}
