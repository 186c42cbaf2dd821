package import HTTPServer
package import JSONCoding
import WireProtocol

/// An error response as an `application/problem+json` document (RFC 9457), with the gateway's additional members.
package struct Problem: HTTPErrorConvertible, Hashable {
    /// Stable, for programs: a `Code`, or one of an error of a layer below. The status follows from it.
    package private(set) var code: String
    /// A sentence for people that says what to do.
    package var detail: String
    /// The query parameter or header that contains the error.
    package var parameter: String?
    /// The position in the parameter's text or in the body, in bytes of UTF-8 from 0.
    package var position: Int?
    /// The length of the erroneous text in bytes, if known.
    package var length: Int?
    /// The tokens that are allowed there.
    package var expected: [String] = []
    /// The property concerned, as a path from the object in the body.
    package var property: String?
    /// The location in the body, as a JSON path: `$.tags[3]`.
    package var path: String?
    /// The index of the transaction's operation that failed, from 0.
    package var operation: Int?
    /// The nearest existing name, or what to write instead.
    package var hint: String?
    /// All errors of a document that may have several.
    package var faults: [SchemaFault] = []
    /// The invalid lines of a file.
    package var lines: [LineFault] = []
    /// The imported part of a file whose import ended early.
    package var imported: ImportedPart?
    /// The value of a `Retry-After` header, in seconds.
    package var retryAfter: Int?

    package init(
        _ code: Code, _ detail: String, parameter: String? = nil, position: Int? = nil, property: String? = nil,
        hint: String? = nil
    ) {
        self.init(of: code, detail, parameter, position, property, hint)
    }

    /// With the code of an error of a layer below.
    package init(
        _ code: some ErrorCode, _ detail: String, parameter: String? = nil, position: Int? = nil,
        property: String? = nil, hint: String? = nil
    ) {
        self.init(of: code, detail, parameter, position, property, hint)
    }

    private init(
        of code: some ErrorCode, _ detail: String, _ parameter: String?, _ position: Int?, _ property: String?,
        _ hint: String?
    ) {
        self.code = code.rawValue
        self.detail = detail
        self.parameter = parameter
        self.position = position
        self.property = property
        self.hint = hint
    }

    /// The same problem under another code.
    package func with(_ code: some ErrorCode) -> Problem {
        var problem = self
        problem.code = code.rawValue
        return problem
    }

    package var httpResponse: Response {
        let writer = JSONWriter(capacity: 512)
        encode(into: writer)
        var response = Response(status: status, contentType: "application/problem+json", body: writer.bytes)
        if status == 401 {
            let error = code == Code.authRequired.rawValue ? "" : ", error=\"invalid_token\""
            response.headers["WWW-Authenticate"] = "Bearer realm=\"realmgate\"" + error
        }
        if let retryAfter { response.headers[HeaderName.retryAfter] = String(retryAfter) }
        return response
    }

    /// Encodes the document, also for the `error` event of a stream.
    func encode(into writer: JSONWriter) {
        writer.beginObject()
        writer.name("type")
        writer.string("about:blank")
        writer.name("title")
        writer.string(status == 507 ? "Insufficient Storage" : reasonPhrase(status))
        writer.name("status")
        writer.int(status)
        writer.name(ProblemForm.Field.detail)
        writer.string(detail)
        writer.name(ProblemForm.Field.code)
        writer.string(code)
        for (name, value) in [("parameter", parameter), ("property", property), ("path", path), ("hint", hint)] {
            guard let value else { continue }
            writer.name(name)
            writer.string(value)
        }
        for (name, number) in [(ProblemForm.Field.operation, operation), ("position", position), ("length", length)] {
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
        if let imported { writer.importCounts(imported.outcome, line: imported.line) }
        writer.endObject()
    }
}

extension JSONWriter {
    /// Writes the member `faults`.
    func faults(_ faults: [SchemaFault]) {
        name("faults")
        beginArray()
        for fault in faults {
            beginObject()
            name("path")
            string(fault.path)
            name("detail")
            string(fault.message)
            if let hint = fault.hint {
                name("hint")
                string(hint)
            }
            endObject()
        }
        endArray()
    }
}

extension Problem {
    /// Whether the error concerns only the object that was being written, and not the whole response.
    var isOfOneObject: Bool { code == Code.answerTooLarge.rawValue }

    /// The error for a response that is too large and cannot be split.
    static func answerTooLarge(_ limit: Int) -> Problem {
        Problem(
            .answerTooLarge,
            "The answer would have more than \(limit) bytes. Ask for less of it: name the 'fields' that you need, give a smaller 'limit', expand less, or narrow the filter. What a property holds can be read in pages of its own at /v1/objects/{class}/{key}/{property}."
        )
    }
}
