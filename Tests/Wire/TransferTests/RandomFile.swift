import JSONCoding
import StoreTesting
import Transfer
import TestBasics

/// A random file of either format, with the values that it must give back.
struct RandomFile {
    let format: TransferFormat
    let names: [String]
    /// Nil where a row has no value.
    private(set) var rows: [[JSONValue?]] = []
    /// The same as they are written in the file.
    private var written: [[String?]] = []

    init(_ format: TransferFormat, _ random: inout SeededRandom) {
        self.format = format
        let kinds = (0...1 + random.below(5)).map { _ in Kind.random(&random) }
        names = kinds.indices.map { $0 == 0 && random.oneIn(2) ? "id" : "c \($0)" }
        let holes = kinds.map { _ in random.oneIn(3) }
        for number in 0...random.below(30) {
            var row: [JSONValue?] = []
            var texts: [String?] = []
            for (kind, hasHoles) in zip(kinds, holes) {
                if hasHoles, random.oneIn(3) {
                    row.append(nil)
                    texts.append(format == .ndjson && random.oneIn(2) ? "null" : nil)
                } else {
                    let (value, text) = kind.value(number, format, &random)
                    row.append(value)
                    texts.append(text)
                }
            }
            rows.append(row)
            written.append(texts)
        }
    }

    var text: String {
        switch format {
        case .ndjson:
            return written.map { row in
                let members = zip(names, row).compactMap { name, text in text.map { "\"\(name)\":\($0)" } }
                return "{" + members.joined(separator: ",") + "}\n"
            }.joined()
        case .csv:
            var bytes: [UInt8] = []
            CSVText.append(names, to: &bytes)
            for row in written { CSVText.append(row, to: &bytes) }
            return String(decoding: bytes, as: UTF8.self)
        }
    }

    func shuffled(_ random: inout SeededRandom) -> RandomFile {
        var file = self
        let order = rows.indices.shuffled(using: &random)
        file.rows = order.map { rows[$0] }
        file.written = order.map { written[$0] }
        return file
    }
}

/// The kind of values of a column.
private enum Kind {
    case scalar(Scalar)
    /// Each value is of one of these.
    case either(Scalar, Scalar)
    case list(Scalar)
    case map(Scalar)
    case object(Scalar, Scalar)

    static func random(_ random: inout SeededRandom) -> Kind {
        let one = Scalar.allCases[random.below(Scalar.allCases.count)]
        let other = Scalar.allCases[random.below(Scalar.allCases.count)]
        switch random.below(8) {
        case 0: return .list(one)
        case 1: return .map(one)
        case 2: return .object(one, other)
        case 3, 4:
            // A mixed value keeps only the digits of a double.
            return one == .precise || other == .precise ? .scalar(one) : .either(one, other)
        default: return .scalar(one)
        }
    }

    /// The value, and its text in the file.
    func value(_ row: Int, _ format: TransferFormat, _ random: inout SeededRandom) -> (JSONValue, String) {
        switch self {
        case .scalar(let kind): return kind.value(row, format, &random)
        case .either(let one, let other): return (random.oneIn(3) ? other : one).value(row, format, &random)
        case .list(let kind):
            let elements = (0..<random.below(4)).map { _ in kind.value(row, .ndjson, &random) }
            return (.array(elements.map(\.0)), "[" + elements.map(\.1).joined(separator: ",") + "]")
        case .map(let kind):
            let names = (0..<random.below(4)).map { "k \($0 * 7 + random.below(7))" }
            return Self.object(names.map { ($0, kind.value(row, .ndjson, &random)) })
        case .object(let one, let other):
            return Self.object([("a", one.value(row, .ndjson, &random)), ("b", other.value(row, .ndjson, &random))])
        }
    }

    private static func object(_ members: [(String, (JSONValue, String))]) -> (JSONValue, String) {
        (
            .object(JSONObject(members.map { JSONObject.Member(name: $0.0, value: $0.1.0) })),
            "{" + members.map { "\"\($0.0)\":\($0.1.1)" }.joined(separator: ",") + "}"
        )
    }
}

private enum Scalar: CaseIterable {
    case row, int, double, precise, bool, date, uuid, objectId, zip, word, digits, special, empty

    func value(_ row: Int, _ format: TransferFormat, _ random: inout SeededRandom) -> (JSONValue, String) {
        func text(_ text: String) -> (JSONValue, String) {
            (.string(text), format == .csv ? text : "\"\(text)\"")
        }
        func hex(_ count: Int) -> String { (0..<count).map { _ in String(random.below(16), radix: 16) }.joined() }
        switch self {
        case .row: return (.int(Int64(row)), "\(row)")
        case .int:
            let value = [0, 1, -1, 7, .max, .min, 1 << 53, 1 << 53 + 1][random.below(8)] as Int64
            return (.int(value), "\(value)")
        case .double:
            let value = [0.5, -1.25, 1e300, 0.1, 3.0, 123456.75][random.below(6)]
            return (.double(value), value.description)
        case .precise:
            let text = "\(random.below(9)).\(1_234_567_890_123_456_789 + Int64(random.below(1000)))"
            return ((try? JSONValue.parse(text)) ?? .null, text)
        case .bool:
            let value = random.oneIn(2)
            return (.bool(value), "\(value)")
        case .date: return text("20\(10 + random.below(80))-0\(1 + random.below(9))-1\(random.below(9))T10:00:00+02:00")
        case .uuid: return text("\(hex(8))-\(hex(4))-\(hex(4))-\(hex(4))-\(hex(12))")
        case .objectId: return text(hex(24))
        case .zip: return text("0\(1000 + random.below(9000))")
        case .word:
            return text(
                ["a", "Rome", "n/a", " 1", "1 ", "{x", "[", "true?", "-", "+", ".", "1.", "0x1F"][random.below(13)])
        case .digits: return text("+\(random.below(1000))")
        case .special: return text(["NaN", "Infinity", "-Infinity"][random.below(3)])
        case .empty: return text("")
        }
    }
}
