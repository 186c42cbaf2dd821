import JSONCoding

/// The value of a scalar by the core schema of YAML 1.2.
enum YAMLScalar {
    /// A scalar without a tag is a string when it is in quotes or in a block, and otherwise the value that its text
    /// has.
    static func value(_ text: String, _ isPlain: Bool, _ tag: String?, _ position: YAMLPosition) throws(YAMLError)
        -> JSONValue
    {
        guard let tag else { return isPlain ? try plain(text, position) : .string(text) }
        let found = try plain(text, position)
        switch (tag, found) {
        case ("!", _), ("tag:yaml.org,2002:str", _): return .string(text)
        case ("tag:yaml.org,2002:null", .null), ("tag:yaml.org,2002:bool", .bool), ("tag:yaml.org,2002:int", .int),
            ("tag:yaml.org,2002:float", .double):
            return found
        case ("tag:yaml.org,2002:float", .int(let number)): return .double(Double(number))
        default: throw YAMLError(message: "'\(text)' does not match the tag '\(tag)'.", position: position)
        }
    }

    private static func plain(_ text: String, _ position: YAMLPosition) throws(YAMLError) -> JSONValue {
        switch text {
        case "", "~", "null", "Null", "NULL": return .null
        case "true", "True", "TRUE": return .bool(true)
        case "false", "False", "FALSE": return .bool(false)
        case ".nan", ".NaN", ".NAN": return .double(.nan)
        case ".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF": return .double(.infinity)
        case "-.inf", "-.Inf", "-.INF": return .double(-.infinity)
        default: break
        }
        if text.hasPrefix("0o"), isDigits(text.dropFirst(2), 8) { return try integer(text.dropFirst(2), 8, position) }
        if text.hasPrefix("0x"), isDigits(text.dropFirst(2), 16) { return try integer(text.dropFirst(2), 16, position) }
        let digits = text.hasPrefix("-") || text.hasPrefix("+") ? text.dropFirst() : text[...]
        if isDigits(digits, 10) { return try integer(text[...], 10, position) }
        guard isFraction(digits) else { return .string(text) }
        guard let number = Double(text), number.isFinite else {
            throw YAMLError(message: "The number \(text) is too large.", position: position)
        }
        return .double(number)
    }

    private static func integer(_ text: Substring, _ radix: Int, _ position: YAMLPosition) throws(YAMLError)
        -> JSONValue
    {
        guard let number = Int64(text, radix: radix) else {
            throw YAMLError(message: "The integer \(text) has more than 64 bits.", position: position)
        }
        return .int(number)
    }

    private static func isDigits(_ text: Substring, _ radix: Int) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "0")...UInt8(ascii: "7"): true
                case UInt8(ascii: "8"), UInt8(ascii: "9"): radix >= 10
                case UInt8(ascii: "a")...UInt8(ascii: "f"), UInt8(ascii: "A")...UInt8(ascii: "F"): radix == 16
                default: false
                }
            }
    }

    /// Digits with a point, an exponent or both: `1.`, `.5`, `1e3`.
    private static func isFraction(_ text: Substring) -> Bool {
        var rest = text
        func digits(_ rest: inout Substring) -> Int {
            let count = rest.prefix { $0.isASCII && $0.isNumber }.count
            rest = rest.dropFirst(count)
            return count
        }
        let whole = digits(&rest)
        var fraction = 0
        if rest.first == "." {
            rest = rest.dropFirst()
            fraction = digits(&rest)
        }
        guard whole + fraction > 0 else { return false }
        if rest.first == "e" || rest.first == "E" {
            rest = rest.dropFirst()
            if rest.first == "-" || rest.first == "+" { rest = rest.dropFirst() }
            guard digits(&rest) > 0 else { return false }
        }
        return rest.isEmpty
    }
}
