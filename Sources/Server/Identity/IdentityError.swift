import Files
import Glibc

/// Why keys or settings of tokens could not be used.
package struct IdentityError: Error, Hashable, Sendable, CustomStringConvertible {
    /// A sentence for a person.
    package let description: String

    init(_ sentence: String) { description = sentence }

    init(_ action: String, _ path: String, _ code: Int32) {
        description = "Cannot \(action) '\(path)': \(String(cString: strerror(code)))."
    }

    /// Does `work`; a fault of a file is one of keys then.
    static func naming<R>(_ work: () throws(FileFault) -> R) throws(IdentityError) -> R {
        do {
            return try work()
        } catch {
            throw IdentityError(error.description)
        }
    }
}
