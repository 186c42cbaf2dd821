package import JSONCoding

/// The members of an error response, `application/problem+json`, that a follower uses.
package struct ProblemForm: Hashable, Sendable {
    /// The names of the members.
    package enum Field {
        package static let code = "code"
        package static let detail = "detail"
        package static let operation = "operation"
    }

    /// Nil for an error response of another server, such as a proxy.
    package var code: String?
    /// A sentence for people.
    package var detail: String?
    /// The index of the transaction's operation that failed, from 0.
    package var operation: Int?

    package init(_ json: JSONValue) {
        code = json.text(Field.code)
        detail = json.text(Field.detail)
        operation = json.int(Field.operation)
    }

    /// Words in the message of an invalid value that identify a link to an object that does not exist: this error has
    /// no code of its own.
    package static let missingLink = "which does not exist"
}
