/// Why a transaction cannot be read.
package struct TransactionFault: Error, Hashable, Sendable {
    /// A sentence for a person.
    package var detail: String
    /// Where in the document: `$.value`.
    package var path: String
    /// The nearest word that could stand there.
    package var hint: String?

    init(_ detail: String, _ path: String, hint: String? = nil) {
        self.detail = detail
        self.path = path
        self.hint = hint
    }
}
