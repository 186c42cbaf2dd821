import CYAML
import JSONCoding

/// YAML documents, of which JSON is a subset, as JSON values.
///
/// One document of YAML 1.2 with the core schema: `yes` is a string and `true` is a Boolean. Names are strings and may
/// not repeat; libyaml rejects surrogate escapes, which JSON has for characters beyond `\uFFFF`. Aliases are copies, as
/// many as `nodeLimit` allows.
package enum YAML {
    /// The maximum size of a text, in bytes.
    package static let sizeLimit = 4 << 20
    /// The maximum number of values in a document, including the copies that aliases make.
    package static let nodeLimit = 100_000
    /// The maximum nesting of sequences and mappings.
    package static let depthLimit = 64

    /// Parses a text; one of only space and comments is null. Cost: linear.
    package static func parse(_ bytes: [UInt8]) throws(YAMLError) -> YAMLNode {
        guard bytes.count <= sizeLimit else {
            throw YAMLError(
                message: "The text has more than \(sizeLimit) bytes.", position: YAMLPosition(line: 1, column: 1))
        }
        return try bytes.withUnsafeBufferPointer { bytes throws(YAMLError) in
            var parser = yaml_parser_t()
            guard yaml_parser_initialize(&parser) == 1 else { throw YAMLReader.outOfMemory }
            defer { yaml_parser_delete(&parser) }
            // The library accepts no null pointer, which an empty buffer may have.
            guard let base = bytes.baseAddress, !bytes.isEmpty else {
                return YAMLNode(content: .scalar(.null), position: YAMLPosition(line: 1, column: 1))
            }
            yaml_parser_set_input_string(&parser, base, bytes.count)
            yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING)
            var reader = YAMLReader()
            return try withUnsafeMutablePointer(to: &parser) { parser throws(YAMLError) in
                try reader.document(parser)
            }
        }
    }

    /// Parses a text.
    package static func parse(_ text: String) throws(YAMLError) -> YAMLNode { try parse(Array(text.utf8)) }
}
