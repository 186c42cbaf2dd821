import Glibc

/// Why keys or settings of tokens could not be used.
package struct IdentityError: Error, Hashable, Sendable, CustomStringConvertible {
    /// A sentence for a person.
    package let description: String

    init(_ sentence: String) { description = sentence }

    init(_ action: String, _ path: String, _ code: Int32) {
        description = "Cannot \(action) '\(path)': \(String(cString: strerror(code)))."
    }
}
