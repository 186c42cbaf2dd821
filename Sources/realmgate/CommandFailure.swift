import StoreContract

/// What ends a command early: a sentence for the person who typed it, and the exit code.
struct CommandFailure: Error {
    var message: String
    var exitCode: Int32

    init(_ message: String, exitCode: Int32 = 1) {
        self.message = message
        self.exitCode = exitCode
    }

    init(_ error: StoreError) {
        self.init(Self.sentence(error.message, hint: error.hint))
    }

    /// The message as a sentence, followed by the nearest name where there is one.
    static func sentence(_ message: String, hint: String?) -> String {
        guard let hint else { return message }
        let end = message.hasSuffix(".") ? "" : "."
        return "\(message)\(end) Did you mean '\(hint)'?"
    }
}
