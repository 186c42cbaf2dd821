/// The fault of a query text or its arguments. Always the caller's error; nothing was executed.
package struct QueryError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Stable and never reused; an open set.
    package struct Code: RawRepresentable, Hashable, Sendable {
        package let rawValue: String
        package init(rawValue: String) { self.rawValue = rawValue }

        /// The text does not follow the grammar.
        package static let syntax = Code(rawValue: "query.syntax")
        /// Well formed, but nested deeper than `QueryParser.depthLimit`.
        package static let tooDeep = Code(rawValue: "query.too_deep")
        /// Longer than `QueryParser.byteLimit`.
        package static let tooLong = Code(rawValue: "query.too_long")
        /// A name that the schema does not have.
        package static let unknownProperty = Code(rawValue: "query.unknown_property")
        package static let unknownClass = Code(rawValue: "query.unknown_class")
        /// Types that cannot be compared.
        package static let typeMismatch = Code(rawValue: "query.type_mismatch")
        /// Well formed but without a meaning for this schema.
        package static let invalid = Code(rawValue: "query.invalid")
        /// Missing or invalid arguments.
        package static let argument = Code(rawValue: "query.argument")
        /// Part of the language that this version does not execute.
        package static let unsupported = Code(rawValue: "query.unsupported")
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
