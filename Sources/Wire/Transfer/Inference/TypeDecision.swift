import ObjectModel

/// The kind of type that the counted values have in common.
struct TypeDecision {
    enum Shape: Hashable {
        case scalar(BaseType)
        case list
        case embedded
        case dictionary
        case mixed
    }

    var shape: Shape
    /// A clause for people.
    var reason: String
    /// More clauses.
    var remarks: [String] = []
    var examples: [ValueExample] = []

    /// - Parameter isText: whether the values are fields of a CSV file, which are all texts.
    init(_ tally: ValueTally, isText: Bool) {
        let forms = tally.forms
        let total = tally.values
        guard !forms.isEmpty else {
            shape = isText ? .scalar(.string) : .mixed
            reason = tally.nulls > 0 ? "all values are null" : "there is no value"
            return
        }
        let base = Self.base(of: forms, tally, isText: isText)
        if let base, tally.typedBases.isSubset(of: [base]) {
            shape = .scalar(base)
            (reason, examples) = Self.reason(for: base, forms, tally)
            if base == .int, tally.bits == total, total > 1 {
                remarks = ["as all are 0 or 1, bool would hold them, too"]
            }
            if base == .date, tally.days > 0 { remarks = ["dates without a time are midnight UTC"] }
        } else if forms == [.list] {
            shape = .list
            (reason, examples) = (Self.all(total, .list), [])
        } else if forms == [.object] {
            (shape, reason) = Self.objects(tally)
        } else {
            shape = .mixed
            reason = "the values have no other type in common: " + Self.listed(forms, tally)
            if forms.contains(.precise) { remarks = ["a mixed number keeps the digits of a double"] }
            examples = Self.examples(forms, tally)
        }
    }

    /// Nil for collections, and where only mixed values would do.
    private static func base(of forms: Set<ValueForm>, _ tally: ValueTally, isText: Bool) -> BaseType? {
        if forms.isSubset(of: [.int, .longInt]) { return .int }
        if forms == [.special] { return tally.typedBases == [.double] ? .double : .string }
        if forms.isSubset(of: ValueForm.numbers) {
            return forms.isDisjoint(with: [.longInt, .wideInt, .precise]) ? .double : .decimal128
        }
        if forms.isSubset(of: [.objectId, .digits24]), forms.contains(.objectId) { return .objectId }
        switch forms {
        case [.bool]: return .bool
        case [.date]: return .date
        case [.uuid]: return .uuid
        case [.float]: return .float
        case [.data]: return .data
        default: break
        }
        if isText { return forms.isSubset(of: [.list, .object]) ? nil : .string }
        return forms.isSubset(of: ValueForm.strings) ? .string : nil
    }

    // MARK: Reasons

    private static func reason(
        for base: BaseType, _ forms: Set<ValueForm>, _ tally: ValueTally
    ) -> (String, [ValueExample]) {
        let total = tally.values
        func some(_ deciding: Set<ValueForm>, _ words: (one: String, many: String)) -> (String, [ValueExample]) {
            let number = deciding.reduce(0) { $0 + tally.count($1) }
            return (
                "\(number) of \(count(total, "value")) \(number == 1 ? words.one : words.many)",
                examples(deciding.intersection(forms), tally)
            )
        }
        switch base {
        case .int: return (all(total, .int), examples(forms, tally))
        case .double where forms.contains(.double):
            if forms == [.double] { return (all(total, .double), examples(forms, tally)) }
            return some([.double], ("has a fraction or an exponent", "have a fraction or an exponent"))
        case .double: return some([.special], ("is NaN or infinite", "are NaN or infinite"))
        case .decimal128:
            return some(
                [.longInt, .wideInt, .precise],
                ("has more digits than a double keeps", "have more digits than a double keeps"))
        case .date: return (all(total, .date), examples(forms, tally))
        case .string: return stringReason(forms, tally)
        default:
            let form = forms.contains(.objectId) ? ValueForm.objectId : forms.first ?? .text
            return (all(total, form), examples(forms, tally))
        }
    }

    /// Names the values that no narrower type can hold.
    private static func stringReason(_ forms: Set<ValueForm>, _ tally: ValueTally) -> (String, [ValueExample]) {
        let total = tally.values
        let rest = forms.subtracting(ValueForm.numbers)
        func some(_ form: ValueForm, _ one: String, _ many: String) -> (String, [ValueExample]) {
            let number = tally.count(form)
            return ("\(number) of \(count(total, "value")) \(number == 1 ? one : many)", examples([form], tally))
        }
        if forms == [.special] { return (all(total, .special), examples(forms, tally)) }
        if forms.isSubset(of: [.text, .quotedNumber]), forms.contains(.text) {
            return (all(total, .text), examples([.text], tally))
        }
        switch rest {
        case [.leadingZero]: return some(.leadingZero, "begins with 0", "begin with 0")
        case [.plusSign]: return some(.plusSign, "begins with a plus sign", "begin with a plus sign")
        case [.tooPrecise]:
            return some(
                .tooPrecise, "has more digits than decimal128 keeps", "have more digits than decimal128 keeps")
        case [.text] where forms == rest, [.quotedNumber] where forms == rest,
            [.digits24] where forms == rest, [.empty] where forms == rest:
            guard let form = rest.first else { break }
            return (all(total, form), examples(rest, tally))
        case [.text]: return some(.text, "is a text that is not a number", "are texts that are not numbers")
        case [.empty]: return some(.empty, "is an empty text", "are empty texts")
        default: break
        }
        // A value with a narrower type of its own did not decide.
        let deciding = rest.isEmpty ? forms : rest
        return ("the values have no other type in common: " + listed(forms, tally), examples(deciding, tally))
    }

    private static func objects(_ tally: ValueTally) -> (Shape, String) {
        let total = count(tally.values, "object")
        guard let members = tally.members else {
            return (.dictionary, "the \(total) have more than \(ValueTally.maximumNames) different names")
        }
        guard !members.isEmpty else { return (.dictionary, "the \(total) are empty") }
        if let odd = tally.names.filter({ $0.isEmpty || $0.utf8.count > PropertySchema.nameLimit }).min() {
            return (.dictionary, "'\(odd.abbreviated)' cannot be the name of a property")
        }
        let values = TypeDecision(tally.allMembers(), isText: false)
        switch values.shape {
        case .scalar, .embedded: break
        default: return (.embedded, described(tally))
        }
        if let odd = tally.names.filter({ !PropertyType.isName($0) }).min() {
            return (.dictionary, "'\(odd.abbreviated)' is not a name, and all values have one type")
        }
        guard 2 * tally.memberCount < tally.values * members.count else { return (.embedded, described(tally)) }
        return (
            .dictionary, "the \(total) have few of their \(members.count) names in common, and all values have one type"
        )
    }

    private static func described(_ tally: ValueTally) -> String {
        "the \(count(tally.values, "object")) \(tally.values == 1 ? "has" : "have") \(count(tally.names.count, "name")) in all"
    }

    /// `all 120 values are integers`
    private static func all(_ total: Int, _ form: ValueForm) -> String {
        switch total {
        case 1: "the only value is \(form.one)"
        case 2: "both values are \(form.inWords)"
        default: "all \(total) values are \(form.inWords)"
        }
    }

    /// `integers (100), texts (20)`, the most frequent first.
    private static func listed(_ forms: Set<ValueForm>, _ tally: ValueTally) -> String {
        forms.sorted { (tally.count($1), $0.rawValue) < (tally.count($0), $1.rawValue) }
            .map { "\($0.inWords) (\(tally.count($0)))" }.joined(separator: ", ")
    }

    private static func examples(_ forms: Set<ValueForm>, _ tally: ValueTally) -> [ValueExample] {
        let found = forms.subtracting([.list, .object, .mixedOnly, .empty]).compactMap { tally.first($0) }
        return Array(found.sorted { ($0.line, $0.text) < ($1.line, $1.text) }.prefix(3))
    }
}

extension ValueForm {
    /// One value in words.
    fileprivate var one: String {
        switch self {
        case .int, .longInt: "an integer"
        case .double: "a number with a fraction or an exponent"
        case .special, .bool: inWords
        case .data: "binary data"
        case .date: "a date"
        case .uuid: "a UUID"
        case .objectId: "an object id"
        case .digits24: "a text of 24 digits"
        case .empty: "an empty text"
        case .quotedNumber: "a number in quotes"
        case .text: "a text"
        case .float: "a float"
        case .list: "an array"
        default: "one of " + inWords
        }
    }
}
