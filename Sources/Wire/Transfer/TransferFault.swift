/// The reason, as a sentence, why a file cannot be read or written any further.
package struct TransferFault: Error, Equatable {
    package var message: String

    package init(_ message: String) { self.message = message }
}
