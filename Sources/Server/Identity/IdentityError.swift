import Files
import Glibc

/// An error in keys or token settings.
package struct IdentityError: Error, Hashable, Sendable, CustomStringConvertible {
    /// A sentence for people.
    package let description: String

    package init(_ sentence: String) { description = sentence }

    init(_ action: String, _ path: String, _ code: Int32) {
        description = "Cannot \(action) '\(path)': \(String(cString: strerror(code))).\(Self.advice(code))"
    }

    private static func advice(_ code: Int32) -> String {
        guard [EACCES, EPERM, EROFS].contains(code) else { return "" }
        return " Run the program as a user that may read and write there, or name another file with auth.keys."
    }

    /// Runs `work`; converts file errors.
    static func naming<R>(_ work: () throws(FileError) -> R) throws(IdentityError) -> R {
        do {
            return try work()
        } catch {
            throw IdentityError(error.description + advice(error.code))
        }
    }
}
