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
        var message = error.message
        if let hint = error.hint { message += " Did you mean '\(hint)'?" }
        self.init(message)
    }
}
