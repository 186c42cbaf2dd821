import JSONCoding
import Testing
import YAMLCoding

@Suite("YAML")
struct YAMLTests {
    private func json(_ text: String) throws -> JSONValue { try YAML.parse(text).json }

    private func fault(_ text: String) -> YAMLError? {
        do throws(YAMLError) {
            _ = try YAML.parse(text)
            return nil
        } catch {
            return error
        }
    }

    private static let plain: [(String, JSONValue)] = [
        ("~", .null), ("null", .null), ("", .null), ("# nothing", .null), ("\"\"", .string("")),
        ("true", .bool(true)), ("False", .bool(false)), ("yes", .string("yes")), ("no", .string("no")),
        ("on", .string("on")), ("12", .int(12)), ("-12", .int(-12)), ("+3", .int(3)), ("0o17", .int(15)),
        ("017", .int(17)), ("0x1F", .int(31)), ("0b1", .string("0b1")), ("1_000", .string("1_000")),
        ("1.5", .double(1.5)), (".5", .double(0.5)), ("1.", .double(1)), ("1e3", .double(1000)),
        ("-.inf", .double(-.infinity)), (".", .string(".")), ("-", .array([JSONValue.null])), ("1e", .string("1e")),
        ("12:30", .string("12:30")), ("2026-01-31", .string("2026-01-31")), ("'12'", .string("12")),
        ("\"true\"", .string("true")), ("!!str 12", .string("12")), ("!!float 12", .double(12)),
        ("9223372036854775807", .int(.max)), ("-9223372036854775808", .int(.min)), ("é😀", .string("é😀")),
    ]

    @Test("plain scalars have the value of the core schema, and quoted ones are strings", arguments: plain)
    func scalars(text: String, value: JSONValue) throws { #expect(try json(text) == value) }

    @Test("blocks, flows, anchors and JSON")
    func structures() throws {
        let text = """
            %YAML 1.2
            ---
            base: &base {a: 1, b: [x, y]}
            copy: *base
            list:
              - one
              - k: v
                w: |
                  two
                  lines
            empty: {}
            ...
            """
        let base: JSONValue = ["a": .int(1), "b": [.string("x"), .string("y")]]
        #expect(
            try json(text) == [
                "base": base, "copy": base,
                "list": [.string("one"), ["k": .string("v"), "w": .string("two\nlines\n")]], "empty": [:],
            ])
        let document = #"{"a": [1, -2.5e3, null, true, "\u00e9\n😀"], "b": {"c": ""}}"#
        #expect(try json(document) == JSONValue.parse(document))
    }

    @Test("values have positions")
    func positions() throws {
        let node = try YAML.parse("a: 1\nbé: [x,\n  é: y]\n")
        #expect(node["bé"]?.position == YAMLPosition(line: 2, column: 5))
        guard case .mapping(let entries) = node.content, case .sequence(let list)? = node["bé"]?.content else {
            Issue.record("no mapping")
            return
        }
        #expect(entries.map(\.position) == [YAMLPosition(line: 1, column: 1), YAMLPosition(line: 2, column: 1)])
        #expect(list.map(\.position) == [YAMLPosition(line: 2, column: 6), YAMLPosition(line: 3, column: 3)])
    }

    private static let wrong: [(String, Int, Int, String)] = [
        ("a: 1\nb: 2\na: 3", 3, 1, "line 1"), ("a: [1, 2", 2, 1, "malformed"), ("a:\n\tb: 1", 2, 1, "malformed"),
        ("a: 1\n---\nb: 2", 2, 1, "second document"), ("? [a]\n: 1", 1, 3, "name must be a string"),
        ("a: *x", 1, 4, "no anchor '&x'"), ("a: &x [*x]", 1, 8, "within its own"),
        ("a: !thing 3", 1, 4, "!thing"), ("a: !!int x", 1, 4, "does not match"), ("a: !!set {b}", 1, 4, "tag"),
        ("a: 9223372036854775808", 1, 4, "64 bits"), ("a: 1e999", 1, 4, "too large"),
        ("a: \"\\q\"", 1, 5, "malformed"), ("*a : 1", 1, 1, "name must be a string"),
    ]

    @Test("invalid documents are rejected, with the position", arguments: wrong)
    func faults(text: String, line: Int, column: Int, part: String) {
        let error = fault(text)
        #expect(
            error?.position == YAMLPosition(line: line, column: column), "\(error.map(\.description) ?? "no fault")")
        #expect(error?.message.contains(part) ?? false, "\(error.map(\.description) ?? "no fault")")
    }

    @Test("aliases of aliases are counted, not expanded")
    func bomb() {
        var text = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n"
        for level in 1...30 {
            let copies = Array(repeating: "*a\(level - 1)", count: 9).joined(separator: ", ")
            text += "a\(level): &a\(level) [\(copies)]\n"
        }
        #expect(fault(text)?.message.contains("more than \(YAML.nodeLimit) values") ?? false)
    }

    @Test("depth, size and bytes that are not UTF-8 are limited")
    func bounds() throws {
        let limit = YAML.depthLimit
        let nested = String(repeating: "[", count: limit) + String(repeating: "]", count: limit)
        #expect(fault(nested) == nil)
        #expect(fault("[" + nested + "]")?.message.contains("deeper") ?? false)
        #expect(fault(String(repeating: "[", count: 200_000)) != nil)
        #expect(fault(String(repeating: "#", count: YAML.sizeLimit + 1)) != nil)
        #expect(throws: YAMLError.self) { try YAML.parse([0x61, 0x3A, 0x20, 0xFF]) }
        #expect(throws: YAMLError.self) { try YAML.parse([0x61, 0x3A, 0x20, 0x00]) }
    }
}
