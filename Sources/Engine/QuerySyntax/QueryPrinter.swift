import Basics
package import ObjectModel

/// Prints a query as text that parses back to an equal query.
package enum QueryPrinter {
    /// The text in RQL, whatever the query's dialect was; with no more parentheses than needed, so that it nests no
    /// deeper than the original text.
    package static func text(_ query: ParsedQuery) -> String {
        var writer = ParsedQueryWriter()
        writer.write(query.predicate)
        for step in query.steps {
            writer.text += " "
            writer.write(step)
        }
        return writer.text
    }

    package static func text(_ predicate: ParsedPredicate) -> String {
        var writer = ParsedQueryWriter()
        writer.write(predicate)
        return writer.text
    }

    package static func text(_ path: ParsedPath) -> String {
        var writer = ParsedQueryWriter()
        writer.write(path)
        return writer.text
    }

    /// A value as a constant of the language. A link, which has no such form, is printed as its object key, a
    /// collection as the name of its type.
    package static func text(_ value: Value) -> String {
        switch value {
        case .null: "null"
        case .bool(let value): String(value)
        case .int(let value): String(value)
        case .float(let value): value.isFinite ? "\(value)f" : text(.double(Double(value)))
        case .double(let value): value.isNaN ? "nan" : value.isInfinite ? (value < 0 ? "-inf" : "inf") : "\(value)"
        case .decimal(let value):
            value.isNaN ? "nan" : value.isInfinite ? (value.isNegative ? "-inf" : "inf") : value.description
        case .string(let value): quoted(value)
        case .data(let bytes): "binary(B64\"\(Base64.standard.encode(bytes))\")"
        case .date(let value): "T\(value.seconds):\(value.nanoseconds)"
        case .objectId(let value): "oid(\(value.hex))"
        case .uuid(let value): "uuid(\(value.text))"
        case .link(let value): "object \(value.rawValue)"
        case .reference, .list, .set, .dictionary, .embedded: value.typeName
        }
    }

    /// The text as a string constant.
    static func quoted(_ text: String) -> String {
        var result = "'"
        for scalar in text.unicodeScalars {
            switch scalar {
            case "'": result += "\\'"
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            case "\0": result += "\\0"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "'"
    }

    /// The name as a component of a path: with an escape for each character that is invalid in names, and for the first
    /// one where the unescaped name would be another token.
    package static func escaped(_ name: String, _ dialect: QueryDialect = .rql) -> String {
        var result = ""
        var isFirst = true
        let isMistakable = Lexer.mistakes(name, dialect)
        for scalar in name.unicodeScalars {
            switch scalar {
            case " ": result += "\\ "
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            default:
                let isPlain =
                    UInt8(exactly: scalar.value).map {
                        isFirst ? Lexer.startsName($0) && !isMistakable : Lexer.continuesName($0)
                    } ?? true
                if isPlain { result.unicodeScalars.append(scalar) } else { result += unicodeEscape(scalar) }
            }
            isFirst = false
        }
        return result
    }

    private static func unicodeEscape(_ scalar: Unicode.Scalar) -> String {
        String(scalar).utf16.reduce(into: "") { text, unit in
            let digits = String(unit, radix: 16)
            text += "\\u" + String(repeating: "0", count: 4 - digits.utf8.count) + digits
        }
    }
}
