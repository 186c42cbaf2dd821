/// Why a file cannot be read or written any further, in a sentence.
package struct TransferFault: Error, Equatable {
    package var message: String

    package init(_ message: String) { self.message = message }

    /// The message as a sentence, followed by the nearest name where there is one.
    package static func sentence(_ message: String, hint: String?) -> String {
        guard let hint else { return message }
        let end = message.hasSuffix(".") ? "" : "."
        return "\(message)\(end) Did you mean '\(hint)'?"
    }
}
