package import JSONCoding
package import ObjectModel
import StoreContract

/// Why a request cannot be carried out: the error of everything that reads or writes objects on behalf of others. Over
/// HTTP it becomes an `application/problem+json` document of RFC 9457 with the status of its code.
package struct Problem: Error, Hashable, Sendable {
    /// Stable, for programs: a `Code`, or the code of a lower layer's error. It determines the status.
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
    package var lines: [LineError] = []
    /// The imported part of a file whose import ended early.
    package var imported: ImportedPart?
    /// The number of seconds after which the request may be repeated.
    package var retryAfter: Int?

    package init(
        _ code: Code, _ detail: String, parameter: String? = nil, position: Int? = nil, property: String? = nil,
        hint: String? = nil
    ) {
        self.init(of: code, detail, parameter, position, property, hint)
    }

    /// Creates a problem with the code of a lower layer's error.
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

    /// Returns the same problem with another code.
    package func with(_ code: some ErrorCode) -> Problem {
        var problem = self
        problem.code = code.rawValue
        return problem
    }
}

extension Problem {
    /// Whether the error concerns only the object that was being written, and not the whole response.
    package var isOfOneObject: Bool { code == Code.answerTooLarge.rawValue }

    /// The error for a response that is too large and cannot be split.
    package static func answerTooLarge(_ limit: Int) -> Problem {
        Problem(
            .answerTooLarge,
            "The response would have more than \(limit) bytes. Request less: name the 'fields' that you need, give a smaller 'limit', expand less, or narrow the filter. The contents of a property can be read in pages at /v1/objects/{class}/{key}/{property}."
        )
    }
}

/// A line of a file that was not imported, and why.
package struct LineError: Error, Hashable, Sendable {
    package var line: Int
    /// Stable, for programs.
    package var code: String
    package var message: String

    package init(line: Int, code: String, message: String) {
        self.line = line
        self.code = code
        self.message = message
    }
}

extension JSONWriter {
    /// Writes the member `errors` of a response about a file.
    package func lines(_ faults: [LineError]) {
        name("errors")
        beginArray()
        for fault in faults {
            beginObject()
            name("line")
            int(fault.line)
            name("code")
            string(fault.code)
            name("detail")
            string(fault.message)
            endObject()
        }
        endArray()
    }
}

/// How much of a file was imported before the import ended early.
package struct ImportedPart: Hashable, Sendable {
    /// The version of the last commit; nil before the first.
    package var version: Version?
    package var created = 0
    package var modified = 0
    package var unchanged = 0
    package var refused = 0
    package var incomplete = 0
    package var lines = 0
    /// The first line that was not imported because the import ended.
    package var line: Int?

    package init() {}
}
