/// The reason why a JSON text was rejected.
package struct JSONError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Stable and never reused.
    package enum Code: String, Hashable, Sendable, CaseIterable {
        case syntax = "json.syntax"
        /// The text ends too early, or there is none.
        case truncated = "json.truncated"
        case invalidUTF8 = "json.invalid_utf8"
        case duplicateName = "json.duplicate_name"
        /// An integer beyond 64 bits, or a number beyond a double.
        case numberRange = "json.number_range"
        case tooDeep = "json.too_deep"
        case outOfMemory = "json.out_of_memory"
        /// Its values would take too much memory.
        case tooLarge = "json.too_large"
    }

    package var code: Code
    /// A sentence for a person.
    package var message: String
    /// The number of bytes before the position where the fault was detected.
    package var position: Int
    /// From 1.
    package var line: Int
    /// From 1, in characters.
    package var column: Int

    package init(_ code: Code, _ message: String, position: Int, line: Int, column: Int) {
        self.code = code
        self.message = message
        self.position = position
        self.line = line
        self.column = column
    }

    package var description: String { "\(message) (line \(line), column \(column))" }
}
