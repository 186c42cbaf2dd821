/// Why a file cannot be read or written any further, in a sentence.
package struct TransferFault: Error, Equatable {
    package var message: String

    package init(_ message: String) { self.message = message }
}
