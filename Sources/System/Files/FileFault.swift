import Glibc

/// A call for a file that failed.
package struct FileFault: Error, Equatable, CustomStringConvertible {
    package enum Action: String, Sendable {
        case open, protect, read, write, sync, replace
    }

    package var action: Action
    package var path: String
    /// The system's number of the error.
    package var code: Int32

    init(_ action: Action, _ path: String, _ code: Int32) {
        self.action = action
        self.path = path
        self.code = code
    }

    /// The system's sentence for the error.
    package var reason: String { String(cString: strerror(code)) }

    package var description: String { "Cannot \(action.rawValue) '\(path)': \(reason)." }
}
