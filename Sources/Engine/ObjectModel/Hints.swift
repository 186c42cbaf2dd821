/// Returns the message as a sentence, followed by the nearest name if there is one.
package func withHint(_ message: String, _ hint: String?) -> String {
    guard let hint else { return message }
    let end = message.hasSuffix(".") ? "" : "."
    return "\(message)\(end) Did you mean '\(hint)'?"
}
