/// The reason why a key cannot verify signatures: the predicate of a sentence about the key.
package struct KeyFault: Error, Hashable, Sendable, CustomStringConvertible {
    package let description: String

    init(_ predicate: String) { description = predicate }
}
