/// The fault of a query text or its arguments. Always the caller's error; nothing was executed.
package struct QueryError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Stable and never reused.
    package enum Code: String, CaseIterable, Hashable, Sendable {
        /// The text does not follow the grammar.
        case syntax = "query.syntax"
        /// Well formed, but nested deeper than `QueryParser.depthLimit`.
        case tooDeep = "query.too_deep"
        /// Longer than `QueryParser.byteLimit`.
        case tooLong = "query.too_long"
        /// A name that the schema does not have.
        case unknownProperty = "query.unknown_property"
        case unknownClass = "query.unknown_class"
        /// Types that cannot be compared.
        case typeMismatch = "query.type_mismatch"
        /// Well formed but without a meaning for this schema.
        case invalid = "query.invalid"
        /// Missing or invalid arguments.
        case argument = "query.argument"
        /// Part of the language that this version does not execute.
        case unsupported = "query.unsupported"
    }

    package var code: Code
    /// A sentence for a person.
    package var message: String
    /// The position in the text, in Unicode scalars from 0.
    package var position: Int
    /// The length of the faulty part in scalars; 0 at the end of the text.
    package var length: Int
    /// The nearest existing name, or the correct spelling.
    package var hint: String?
    /// The words and signs that could be there instead, for syntax errors that know them.
    package var expected: [String]

    package init(
        _ code: Code, _ message: String, position: Int, length: Int = 0, hint: String? = nil, expected: [String] = []
    ) {
        self.code = code
        self.message = message
        self.position = position
        self.length = length
        self.hint = hint
        self.expected = expected
    }

    package var description: String { "\(message) (\(code.rawValue) at \(position))" }
}
