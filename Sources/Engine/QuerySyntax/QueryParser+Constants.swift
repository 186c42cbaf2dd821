import ObjectModel

extension QueryParser {
    /// A constant or an argument, if one starts here.
    mutating func constant() throws(QueryError) -> ParsedConstant? {
        if isCall(.object) { return try object() }
        if isCall(.binary) { return try binary() }
        if current.kind == .nextArgument {
            advance()
            return .argument(takeArgumentNumber())
        }
        guard let constant = try literal() else { return nil }
        advance()
        return constant
    }

    /// The constant at the current token, if it is one.
    private func literal() throws(QueryError) -> ParsedConstant? {
        switch current.kind {
        case .constant(let constant): return constant
        case .string(let text): return .value(.string(text))
        case .base64(let bytes):
            guard let text = String(validating: bytes, as: UTF8.self) else {
                throw source.error(
                    .syntax, "This is not the base64 form of UTF-8 text. Data is written bin(B64\"…\").",
                    current.range, hint: "bin(\(source.slice(current.range)))")
            }
            return .value(.string(text))
        case .argument(let number): return .argument(number)
        case .rowKey:
            throw source.error(
                .syntax,
                "\(shown) identifies an object by numbers that are internal to a store. Identify it by its class and primary key.",
                current.range, hint: "obj('Class', key)")
        case .word(_, let keyword):
            switch keyword {
            case .true: return .value(.bool(true))
            case .false: return .value(.bool(false))
            case .null: return .value(.null)
            case .infinity: return .value(.double(.infinity))
            case .nan: return .value(.double(.nan))
            default: return nil
            }
        default: return nil
        }
    }

    /// `obj('Dog', 'rex')`
    private mutating func object() throws(QueryError) -> ParsedConstant {
        advance()
        advance()
        guard case .value(.string(let className)) = try literal() else {
            throw unexpected("the class's name as a string")
        }
        advance()
        try expect(",", "a comma")
        let key: Value
        switch try literal() {
        case .value(let value), .floating(let value, _): key = value
        case .argument, .object, nil: throw unexpected("the primary key as a constant")
        }
        advance()
        try expect(")", "a closing parenthesis")
        return .object(className: className, primaryKey: key)
    }

    /// `bin('abc')`, `binary(B64"…")`
    private mutating func binary() throws(QueryError) -> ParsedConstant {
        advance()
        advance()
        let bytes: [UInt8]
        switch current.kind {
        case .string(let text): bytes = Array(text.utf8)
        case .base64(let decoded): bytes = decoded
        default: throw unexpected("a string or B64\"…\"")
        }
        advance()
        try expect(")", "a closing parenthesis")
        return .value(.data(bytes))
    }
}
