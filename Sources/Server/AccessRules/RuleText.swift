import JSONCoding
import ObjectModel
import QuerySyntax
import QueryLanguage

/// The text of a rule with the references to claims extracted: `$claims.a.b` outside a string refers to a claim.
struct RuleText {
    /// The text for the query parser, with a numbered argument for each claim.
    let text: String
    /// The path of each claim, by the number of the argument.
    let claims: [[String]]

    init(_ rule: String) {
        var text = ""
        var claims: [[String]] = []
        var rest = Substring(rule)
        var quote: Character?
        while let character = rest.first {
            if let open = quote {
                // A character after a backslash does not end the string.
                let length = character == "\\" ? 2 : 1
                text += rest.prefix(length)
                rest = rest.dropFirst(length)
                if character == open { quote = nil }
            } else if character == "$", rest.hasPrefix("$claims"), let path = Self.path(rest.dropFirst("$claims".count))
            {
                let number = claims.firstIndex(of: path.names) ?? claims.count
                if number == claims.count { claims.append(path.names) }
                text += "$\(number)"
                rest = path.rest
            } else {
                if character == "'" || character == "\"" { quote = character }
                text.append(character)
                rest = rest.dropFirst()
            }
        }
        self.text = text
        self.claims = claims
    }

    /// Parses `.a.b`; nil if no name follows.
    private static func path(_ text: Substring) -> (names: [String], rest: Substring)? {
        var names: [String] = []
        var rest = text
        while rest.first == "." {
            let name = rest.dropFirst().prefix { $0 == "_" || $0 == "-" || $0.isLetter || $0.isNumber }
            guard !name.isEmpty else { break }
            names.append(String(name))
            rest = rest.dropFirst(1 + name.count)
        }
        return names.isEmpty ? nil : (names, rest)
    }

    /// Binds the rule to a class, for a caller with these claims. Throws `QueryError` if the rule does not fit the
    /// schema, or a claim does not fit the rule. A missing claim fits: see `MissingClaims`.
    func bind(_ objectClass: ClassSchema, _ schema: Schema, _ values: JSONValue) throws(QueryError) -> BoundPredicate {
        let values = claims.map { Self.claim($0, in: values) }
        let missing = MissingClaims(isMissing: values.map { $0 == .null })
        return try bind(objectClass, schema, values.map { Self.readings(of: $0) }, missing)
    }

    /// Binds the rule with some types of claims, to check whether any would fit, because the claims are not known yet.
    func bind(_ objectClass: ClassSchema, _ schema: Schema) throws(QueryError) -> BoundPredicate {
        let samples: [QueryArgument] = [
            .value(.null), .value(.string("")), .value(.int(0)), .value(.bool(false)), .list([]),
        ]
        let missing = MissingClaims(isMissing: claims.map { _ in false })
        return try bind(objectClass, schema, claims.map { _ in samples }, missing)
    }

    /// Tries the interpretations of the claims, the plain ones first. If none fits, throws the error of the plain ones.
    private func bind(
        _ objectClass: ClassSchema, _ schema: Schema, _ candidates: [[QueryArgument]], _ missing: MissingClaims
    ) throws(QueryError) -> BoundPredicate {
        guard candidates.allSatisfy({ !$0.isEmpty }) else {
            throw QueryError(
                .argument,
                "A claim is an object, or a list of values other than strings, numbers and Booleans, which no rule can compare. Name a member of the object.",
                position: 0)
        }
        let binder = QueryBinder(schema: schema, checksSums: true)
        var parsed = try QueryParser.parse(text, dialect: .rql)
        guard parsed.steps.isEmpty else {
            throw QueryError(.invalid, "A rule is a predicate: leave SORT, DISTINCT and LIMIT out.", position: 0)
        }
        parsed.predicate = missing.read(parsed.predicate)
        var first: QueryError?
        var choice = [Int](repeating: 0, count: candidates.count)
        for _ in 0..<Self.maximumTries {
            do throws(QueryError) {
                let arguments = zip(candidates, choice).map { $0[$1] }
                return try binder.bind(parsed, class: objectClass, arguments: arguments).predicate
            } catch {
                first = first ?? error
            }
            guard Self.advance(&choice, candidates.map(\.count)) else { break }
        }
        throw first ?? QueryError(.invalid, "The rule cannot be read.", position: 0)
    }

    private static let maximumTries = 64

    /// Advances to the next combination; returns false after the last one.
    private static func advance(_ choice: inout [Int], _ counts: [Int]) -> Bool {
        for index in choice.indices {
            choice[index] += 1
            if choice[index] < counts[index] { return true }
            choice[index] = 0
        }
        return false
    }

    private static func claim(_ names: [String], in values: JSONValue) -> JSONValue {
        names.reduce(values) { $0[$1] ?? .null }
    }

    /// Returns the possible interpretations of a claim: a string also as a value of another type in its usual text
    /// form. None for an object.
    private static func readings(of claim: JSONValue) -> [QueryArgument] {
        switch claim {
        case .object: return []
        case .array(let elements):
            let plain = elements.compactMap { $0 == .null ? nil : scalar($0) }
            guard plain.count == elements.count else { return [] }
            let texts = elements.compactMap { element -> String? in
                if case .string(let text) = element { return text }
                return nil
            }
            guard texts.count == elements.count, !texts.isEmpty else { return [.list(plain)] }
            let others = forms.compactMap { form -> QueryArgument? in
                let values = texts.compactMap(form)
                return values.count == texts.count ? .list(values) : nil
            }
            return [.list(plain)] + others
        case .string(let text): return [.value(.string(text))] + forms.compactMap { $0(text).map { .value($0) } }
        default: return scalar(claim).map { [.value($0)] } ?? []
        }
    }

    private static func scalar(_ json: JSONValue) -> Value? {
        switch json {
        case .null: .null
        case .bool(let value): .bool(value)
        case .int(let value): .int(value)
        case .double(let value): .double(value)
        case .precise(let value, _): .decimal(value)
        case .string(let text): .string(text)
        case .array, .long, .object: nil
        }
    }

    private static let forms: [@Sendable (String) -> Value?] = [
        { UUIDValue(text: $0).map { .uuid($0) } }, { ObjectId(hex: $0).map { .objectId($0) } },
        { Timestamp(rfc3339: $0).map { .date($0) } },
    ]
}
