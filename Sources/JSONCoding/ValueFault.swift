/// Why a JSON value does not fit a property.
package struct ValueFault: Error, Hashable, Sendable {
    /// What the property takes, in words: `an integer or null`.
    package var expected: String
    /// What was given, in words: `the string "seven"`.
    package var got: String

    package init(expected: String, got: String) {
        self.expected = expected
        self.got = got
    }

    /// `'Dog.age' takes an integer or null, not the string "seven".`
    package func sentence(_ name: String) -> String { "'\(name)' takes \(expected), not \(got)." }
}
