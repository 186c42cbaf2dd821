package import JSONCoding

/// The members of a refusal, `application/problem+json`, that a follower acts on.
package struct ProblemForm: Hashable, Sendable {
    /// The names of the members.
    package enum Field {
        package static let code = "code"
        package static let detail = "detail"
        package static let operation = "operation"
    }

    /// Nil for a refusal that some other server made.
    package var code: String?
    /// A sentence for a person.
    package var detail: String?
    /// Which operation of a transaction failed, from 0.
    package var operation: Int?

    package init(_ json: JSONValue) {
        code = json.text(Field.code)
        detail = json.text(Field.detail)
        operation = json.int(Field.operation)
    }

    /// The words by which the sentence of a value that does not fit says that it links to an object that is gone: there
    /// is no code of its own for that.
    package static let missingLink = "which does not exist"
}
