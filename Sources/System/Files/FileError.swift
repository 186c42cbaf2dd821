import Glibc

/// A failed file operation.
package struct FileError: Error, Equatable, CustomStringConvertible {
    package enum Action: String, Sendable {
        case open, protect, read, write, sync, replace
    }

    package var action: Action
    package var path: String
    /// The system's error number.
    package var code: Int32

    init(_ action: Action, _ path: String, _ code: Int32) {
        self.action = action
        self.path = path
        self.code = code
    }

    /// The system's message for the error.
    package var reason: String { String(cString: strerror(code)) }

    package var description: String { "Cannot \(action.rawValue) '\(path)': \(reason)." }
}
