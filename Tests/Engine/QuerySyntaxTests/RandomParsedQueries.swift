import TestBasics
import ObjectModel
import QuerySyntax

/// Makes trees of everything that the parser can return, and nothing else.
struct RandomParsedQueries {
    var random: SeededRandom

    init(seed: UInt64) { random = SeededRandom(seed: seed) }

    mutating func query() -> ParsedQuery {
        ParsedQuery(predicate(depth: 4), many(0...2) { $0.step() })
    }

    // MARK: Choosing

    private mutating func below(_ count: Int) -> Int { Int(random.next() >> 8 % UInt64(count)) }

    private mutating func chance(_ oneIn: Int) -> Bool { below(oneIn) == 0 }

    private mutating func pick<Element>(_ elements: [Element]) -> Element { elements[below(elements.count)] }

    private mutating func many<Element>(
        _ count: ClosedRange<Int>, _ element: (inout RandomParsedQueries) -> Element
    ) -> [Element] {
        let count = count.lowerBound + below(count.count)
        return (0..<count).map { _ in element(&self) }
    }

    // MARK: Predicates

    private mutating func predicate(depth: Int) -> ParsedPredicate {
        guard depth > 0 else { return .comparison(comparison(depth: 0)) }
        switch below(8) {
        case 0: return .constant(chance(2))
        case 1: return .not(predicate(depth: depth - 1))
        case 2, 3: return .and(many(2...4) { $0.predicate(depth: depth - 1) })
        case 4, 5: return .or(many(2...4) { $0.predicate(depth: depth - 1) })
        default: return .comparison(comparison(depth: depth - 1))
        }
    }

    private mutating func comparison(depth: Int) -> ParsedComparison {
        let name: ParsedOperator =
            switch below(8) {
            case 0: .isIn
            case 1: .between
            case 2: .text
            case 3: .geoWithin
            default: .comparison(pick(ComparisonOperator.allCases))
            }
        var canFold: Bool
        switch name {
        case .comparison(.less), .comparison(.lessOrEqual), .comparison(.greater), .comparison(.greaterOrEqual),
            .between, .text, .geoWithin:
            canFold = false
        case .comparison, .isIn: canFold = true
        }
        canFold = canFold && chance(2)
        if name == .geoWithin {
            let left = ParsedOperand(.path(path(endsInOperation: false)), quantifier: chance(3) ? quantifier() : nil)
            let right = ParsedOperand(chance(3) ? .constant(.argument(below(30))) : .shape(shape()))
            return ParsedComparison(left, name, right)
        }
        return ParsedComparison(
            operand(depth: depth), name, operand(depth: depth), ignoresCase: canFold && chance(2),
            ignoresDiacritics: canFold && chance(2))
    }

    private mutating func quantifier() -> Quantifier { pick([.any, .all, .none]) }

    // MARK: Operands

    private mutating func operand(depth: Int) -> ParsedOperand {
        switch below(depth > 0 ? 8 : 6) {
        case 0, 1: return ParsedOperand(.constant(constant()))
        case 2: return ParsedOperand(.constant(.argument(below(30))), quantifier: chance(2) ? quantifier() : nil)
        case 3: return ParsedOperand(.list(many(0...4) { $0.constant() }), quantifier: chance(2) ? quantifier() : nil)
        case 6:
            return ParsedOperand(
                .subquery(
                    ParsedSubquery(
                        path(endsInOperation: false), pick(["$x", "$-", "$d1", "$é", "$$"]),
                        predicate(depth: depth - 1))))
        case 7:
            return ParsedOperand(
                .arithmetic(
                    operand(depth: depth - 1), pick(ArithmeticOperator.allCases), operand(depth: depth - 1)))
        default:
            let path = path(endsInOperation: chance(3))
            return ParsedOperand(.path(path), quantifier: chance(2) && !path.isAggregate ? quantifier() : nil)
        }
    }

    private mutating func constant() -> ParsedConstant {
        switch below(9) {
        case 0: .argument(below(30))
        case 1: .object(className: text(), primaryKey: pick([.null, .int(-3), .string(text()), .bool(true)]))
        case 2: floating()
        case 3: .value(.string(text()))
        case 4: .value(.data(many(0...9) { UInt8(truncatingIfNeeded: $0.random.next()) }))
        case 5: .value(.int(Int64(bitPattern: random.next()) >> Int64(below(64))))
        case 6: .value(date())
        case 7:
            chance(2)
                ? .value(.uuid(UUIDValue.generate())) : .value(.objectId(ObjectId.generate()))
        default:
            .value(pick([.null, .bool(true), .bool(false), .double(.infinity), .double(-.infinity), .double(.nan)]))
        }
    }

    private mutating func date() -> Value {
        let seconds = Int64(bitPattern: random.next()) >> Int64(below(60))
        let nanoseconds = Int32(below(1_000_000_000))
        return Timestamp(seconds: seconds, nanoseconds: seconds < 0 ? -nanoseconds : nanoseconds).map { .date($0) }
            ?? .null
    }

    private mutating func floating() -> ParsedConstant {
        let double = Double(Int64(bitPattern: random.next()) >> Int64(below(64))) / 1024
        if chance(3) { return .floating(.float(Float(double)), text: "\(Float(double))") }
        return pick([
            .floating(.double(double), text: "\(double)"), .floating(.double(0.5), text: ".5"),
            .floating(.double(-10), text: "-10."), .floating(.double(0.1), text: "0.1000000000000000000000001"),
            .floating(.double(1e300), text: "1E+300"), .floating(.double(1e20), text: "100000000000000000000"),
        ])
    }

    private mutating func text() -> String {
        pick(["", "it's", "\"", "\\", "a\nb\r\t\0", "é", "e\u{301}", "😀", "%%", "$0", "red", "[c]", "' OR 1 == 1"])
    }

    // MARK: Paths

    /// Includes names that are nearly other tokens.
    private static let names = [
        "age", "dog", "a-b", "fav item", "in", "IN", "text", "like", "sort", "limit", "asc", "any", "ANY", "all",
        "some", "none", "not", "and", "TRUE", "null", "nan", "first", "size", "obj", "bin", "subquery", "geoBox", "$x",
        "$0", "$K0", "$", "O5", "OO", "L3", "T5", "T", "B64", "uuid", "oid", "1st", "-a", "a.b", "é", "😀", "a\\b",
        "\t", "\u{1}", "f", "e5", "x(", "'", "@count", "#any", "truepredicate", "yes",
    ]

    private mutating func path(endsInOperation: Bool) -> ParsedPath {
        var components: [ParsedPath.Component] = []
        if chance(8) {
            components.append(.argument(below(30)))
        } else {
            components.append(name())
            components += many(0...4) { $0.chance(3) ? .index($0.index()) : $0.name() }
        }
        guard endsInOperation else { return ParsedPath(components) }
        switch below(3) {
        case 0: components.append(.index(.size))
        case 1: components.append(.atName(pick(["count", "size", "type"])))
        default:
            components.append(.atName(pick(["min", "max", "sum", "avg"])))
            if chance(2) { components.append(.name(pick(Self.names))) }
        }
        return ParsedPath(components)
    }

    private mutating func name() -> ParsedPath.Component {
        chance(6) ? .atName(pick(["links", "keys", "values"])) : .name(pick(Self.names))
    }

    private mutating func index() -> ParsedPath.Index {
        switch below(6) {
        case 0: .position(below(1000))
        case 1: .first
        case 2: .last
        case 3: .all
        case 4: .key(text())
        default: .argument(below(30))
        }
    }

    // MARK: Shapes and steps

    private mutating func shape() -> ParsedShape {
        switch below(3) {
        case 0: ParsedShape(.circle(position(), radius: coordinate()))
        case 1: ParsedShape(.box(position(), position()))
        default: ParsedShape(.polygon(many(1...3) { $0.many(1...5) { $0.position() } }))
        }
    }

    private mutating func position() -> ParsedShape.Position { ParsedShape.Position(coordinate(), coordinate()) }

    private mutating func coordinate() -> ParsedConstant {
        chance(3) ? .argument(below(30)) : chance(2) ? .value(.int(Int64(below(180)))) : floating()
    }

    private mutating func step() -> ParsedStep {
        switch below(3) {
        case 0: .limit(below(1000))
        case 1: .distinct(many(1...3) { $0.path(endsInOperation: false) })
        default: .sort(many(1...3) { ParsedSortKey($0.path(endsInOperation: false), ascending: $0.chance(2)) })
        }
    }
}
