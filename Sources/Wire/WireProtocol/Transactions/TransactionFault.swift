/// The error in a transaction's JSON.
package struct TransactionFault: Error, Hashable, Sendable {
    /// A sentence for people.
    package var detail: String
    /// The location in the document: `$.value`.
    package var path: String
    /// The nearest valid word.
    package var hint: String?

    init(_ detail: String, _ path: String, hint: String? = nil) {
        self.detail = detail
        self.path = path
        self.hint = hint
    }
}
