import Basics
import HTTPServer
import HTTPProblems
import JSONCoding
import LiveQueries
import ObjectCoding
import ObjectModel
package import QueryOperators
import QueryLanguage
import QuerySyntax
import RequestHandling
import RequestParameters
package import StoreContract

/// Which groups of an aggregate a response has: all of them or some, in an order, or intervals of their keys.
package enum GroupSelection: Sendable {
    case groups(GroupArrangement, having: GroupCondition? = nil)
    /// At most this many intervals of the values.
    case intervals(Int)

    /// The parameters that choose among groups.
    package static let parameters = ["top", "order", "limit", "offset", "having", "bins"]
    /// What `top` says, too.
    private static let arrangements = ["top", "order", "limit", "offset", "bins"]
    private static let limit = 500

    /// Throws 400 for parameters that do not fit each other or the key paths.
    ///
    /// - Parameters:
    ///   - groups: the key paths of `by`.
    ///   - functions: what the request asks for besides counts.
    ///   - requests: the functions as the store knows them.
    init(
        _ parameters: QueryParameters, groups: [NamedPath], functions: [AggregateForm.Part],
        _ requests: [AggregateRequest], _ reader: QueryReader
    ) throws(Problem) {
        let limits = reader.limits
        let top = try parameters.integer("top", in: 1...Self.limit)
        let bins = try parameters.integer("bins", in: 1...Self.limit)
        let limit = try parameters.integer("limit", in: 0...Int.max)
        let offset = try parameters.integer("offset", in: 0...Int.max)
        let given = Self.parameters.filter { parameters[$0] != nil }
        guard let name = given.first else {
            self = .groups(.all)
            return
        }
        guard !groups.isEmpty else {
            throw Problem(
                .parameterInvalid, "'\(name)' chooses among groups. Give 'by', the key path to group by.",
                parameter: name)
        }
        if bins != nil, parameters["having"] != nil {
            throw Problem(
                .parameterInvalid, "'bins' counts objects in intervals, not groups. Use 'filter' instead of 'having'.",
                parameter: "having")
        }
        let condition = try reader.groupCondition(parameters, groups, functions, requests)
        // Each of these two says all.
        if let second = given.filter(Self.arrangements.contains).dropFirst().first, top != nil || bins != nil {
            let one = top != nil ? "top" : "bins"
            let other = one == name ? second : name
            let hint = bins == nil ? " 'top=10' is 'order=-count&limit=10'." : ""
            throw Problem(
                .parameterInvalid, "Give either '\(one)' or '\(other)', not both.\(hint)",
                parameter: bins != nil ? "bins" : other)
        }
        if let top {
            self = .groups(.largest(top), having: condition)
            return
        }
        guard let bins else {
            let keys = try parameters["order"].map { text throws(Problem) in
                try Self.order(text, groups, functions, limits)
            }
            self = .groups(GroupArrangement(keys ?? [], offset: offset ?? 0, limit: limit), having: condition)
            return
        }
        guard let group = groups.first, groups.count == 1, Self.isMeasurable(group) else {
            throw Problem(
                .parameterInvalid, "'bins' divides numbers or dates: give 'by' one key path to them.",
                parameter: "bins")
        }
        guard functions.isEmpty else {
            throw Problem(
                .parameterInvalid, "'bins' counts objects. Leave min, max, sum and average out.", parameter: "bins")
        }
        self = .intervals(bins)
    }

    private static func isMeasurable(_ group: NamedPath) -> Bool {
        guard !group.path.givesMixed else { return false }
        return switch group.path.valueType.base {
        case .int, .float, .double, .decimal128, .date: true
        default: false
        }
    }

    /// The groups that are listed, and their order; all if the response has intervals.
    var arrangement: GroupArrangement {
        if case .groups(let arrangement, _) = self { arrangement } else { .all }
    }

    /// Which groups there are; nil for all.
    var condition: GroupCondition? {
        if case .groups(_, let condition) = self { condition } else { nil }
    }

    /// The groups that the response has, of all groups ascending by their keys. Throws as the budget does.
    func result(of all: [AggregateGroup], within budget: QueryBudget?) throws -> AggregateResult {
        arrangement.arranged(try condition?.selection(of: all, within: budget) ?? all)
    }
}

// MARK: Order

extension GroupSelection {
    /// Parses `order`: key paths of `by`, `count` and functions such as `average(delay)`, each with `-` in front of it
    /// for descending order. A key path of `by` that is called `count` has precedence; `count()` is always the number.
    private static func order(
        _ text: String, _ groups: [NamedPath], _ functions: [AggregateForm.Part], _ limits: QueryLimits
    ) throws(Problem) -> [GroupArrangement.Key] {
        let terms = groupTerms(groups, functions)
        let texts = QueryBinder.keyPathTexts(text).map(\.text)
        guard texts.count <= limits.keys else {
            throw Problem(
                .queryTooManyKeys, "'order' has \(texts.count) parts; at most \(limits.keys) are allowed.",
                parameter: "order")
        }
        var keys: [GroupArrangement.Key] = []
        for text in texts {
            let isDescending = text.hasPrefix("-")
            let name = isDescending || text.hasPrefix("+") ? String(text.dropFirst()) : text
            guard let term = terms.first(where: { $0.name == name })?.term else {
                throw unknown(String(name.prefix(80)), isDescending: isDescending, functions, terms.map(\.name))
            }
            // What was compared before decides nothing.
            guard !keys.contains(where: { $0.term == term }) else { continue }
            keys.append(GroupArrangement.Key(term, ascending: !isDescending))
        }
        return keys
    }

    /// What `order` and `having` can name; of two with one name, the first is meant.
    static func groupTerms(
        _ groups: [NamedPath], _ functions: [AggregateForm.Part]
    ) -> [(name: String, term: GroupArrangement.Term)] {
        var terms: [(name: String, term: GroupArrangement.Term)] = []
        for (index, group) in groups.enumerated() { terms.append((group.name, .key(index))) }
        terms.append(("count", .count))
        for (index, part) in functions.enumerated() { terms.append((name(part), .result(index))) }
        terms.append(("count()", .count))
        return terms
    }

    private static func name(_ part: AggregateForm.Part) -> String { "\(part.function.rawValue)(\(part.name))" }

    private static func unknown(
        _ name: String, isDescending: Bool, _ functions: [AggregateForm.Part], _ names: [String]
    ) -> Problem {
        let meant = Meant(name, functions, names)
        let hint = meant.near.map { (isDescending ? "-" : "") + $0 }
        let problem =
            meant.missing.map {
                "The request does not ask for '\(name)', by which it orders the groups. Give \($0), too."
            }
            ?? "'\(name)' does not order groups. Give key paths of 'by', count, or functions of the request, such as average(delay) with average=delay."
        return Problem(.parameterInvalid, withHint(problem, hint), parameter: "order", hint: hint)
    }

    /// What an unknown name of a term may mean.
    struct Meant {
        /// The parameter that the request lacks, when the name is that of a function.
        let missing: String?
        /// The nearest name.
        let near: String?

        init(_ name: String, _ functions: [AggregateForm.Part], _ names: [String]) {
            var (function, path) = (name, "")
            if let open = name.firstIndex(of: "("), name.last == ")" {
                function = String(name[..<open])
                path = String(name[name.index(after: open)...].dropLast())
            }
            let texts = functions.map { ($0, GroupSelection.name($0)) }
            if let known = AggregateRequest.Function(rawValue: function), !path.isEmpty {
                // The function is meant, so that only the path can be mistaken.
                missing = "\(function)=\(path)"
                near = texts.filter { $0.0.function == known }.map(\.1).nearest(to: name)
            } else {
                missing = nil
                near = names.nearest(to: name) ?? texts.first { !path.isEmpty && $0.0.name == path }?.1
            }
        }
    }
}

// MARK: Having

extension QueryReader {
    /// Parses `having`: comparisons of key paths of `by`, `count` and functions of the request with constants.
    func groupCondition(
        _ parameters: QueryParameters, _ groups: [NamedPath], _ functions: [AggregateForm.Part],
        _ requests: [AggregateRequest]
    ) throws(Problem) -> GroupCondition? {
        guard let text = parameters["having"] else { return nil }
        var terms: [(term: GroupArrangement.Term, named: GroupClass.Term)] = []
        for (name, term) in GroupSelection.groupTerms(groups, functions)
        where !terms.contains(where: { $0.named.name == name }) {
            let type =
                switch term {
                case .key(let index): groups[index].path.valueType
                case .count: PropertyType(.int)
                case .result(let index): requests[index].resultType
                }
            terms.append((term, GroupClass.Term(name, type)))
        }
        let predicate = try condition(parameters, GroupClass(terms.map(\.named)), named: "having") { name, error in
            let meant = GroupSelection.Meant(name, functions, terms.map(\.named.name))
            error.hint = meant.near
            error.message =
                meant.missing.map { "The request does not ask for '\(name)'. Give \($0), too." }
                ?? "'\(name)' is not known of groups. Name key paths of 'by', count, or functions of the request, such as average(delay) with average=delay."
        }
        let found = GroupCondition(predicate, on: terms.map(\.term))
        guard found.isDecidable else {
            throw Problem(
                QueryError.Code.invalid,
                "A condition on groups compares functions and key paths with constants, as in average(delay) > 10.",
                parameter: "having")
        }
        // A live aggregate tests each group after each commit that changes one.
        guard found.size <= limits.keys else {
            throw Problem(
                .queryTooManyKeys,
                "'having' has \(found.size) comparisons; at most \(limits.keys) are allowed. Compare with many values by IN.",
                parameter: "having")
        }
        return found
    }
}

extension JSONWriter {
    /// Writes the members `bins` and `others`. Values without a position on the scale count as others: nulls, NaN,
    /// infinities and decimals beyond the range of a double.
    func bins(_ found: ValueDistribution, _ type: BaseType, _ style: TypeStyle) {
        name(BinsRead.name)
        beginArray()
        for (index, count) in found.counts.enumerated() {
            beginObject()
            name("from")
            bound(found.bounds[index], type, style)
            name("to")
            bound(found.bounds[index + 1], type, style)
            name("count")
            int(count)
            endObject()
        }
        endArray()
        member(OtherGroups(groups: found.others.count, count: found.otherCount))
    }

    /// Writes a bound in the form of the values that it bounds.
    private func bound(_ position: Double, _ type: BaseType, _ style: TypeStyle) {
        switch type {
        case .date: date(Timestamp(seconds: Int64(exactly: position.rounded()) ?? .max), style)
        case .decimal128:
            let whole = Int64(exactly: position).flatMap { Decimal128($0.description) }
            decimal(whole ?? Decimal128(shortest: position), style)
        case .int:
            if let whole = Int64(exactly: position) { int(whole) } else { double(position) }
        default: double(position, style)
        }
    }
}
