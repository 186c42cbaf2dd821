/// Why a JSON value does not fit a property.
package struct ValueFault: Error, Hashable, Sendable {
    /// What the property takes, in words: `an integer or null`.
    package var expected: String
    /// What was given, in words: `the string "seven"`.
    package var got: String
    /// Where within the value: empty for the value itself, `[3]` for an element.
    package var path: String

    package init(expected: String, got: String, path: String = "") {
        self.expected = expected
        self.got = got
        self.path = path
    }

    /// `'Dog.age' takes an integer or null, not the string "seven".`
    package func sentence(_ name: String) -> String { "'\(name)\(path)' takes \(expected), not \(got)." }
}
