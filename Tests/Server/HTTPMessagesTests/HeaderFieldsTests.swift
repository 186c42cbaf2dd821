import TestBasics
import Testing

@testable import HTTPMessages

@Suite("Header fields")
struct HeaderFieldsTests {
    @Test("what an answer depends on is said once for each name, whatever its case, and * stands for all")
    func vary() {
        for (present, added, expected) in [
            (nil, "Origin", "Origin"), (nil, "A, B", "A, B"), ("Origin", "origin", "Origin"),
            ("A, B", "b, C", "A, B, C"), ("A,B", "B", "A,B"), (" A , B ", "a", " A , B "), ("*", "A", "*"),
            ("A", "AB", "A, AB"), ("AB", "A", "AB, A"), ("A", "A, B, b", "A, B"),
        ] as [(String?, String, String)] {
            var fields = HeaderFields()
            fields["Vary"] = present
            fields.vary(added)
            #expect(fields["vary"] == expected)
        }
    }

    @Test("a field of a request is found among others of the same length and first letter, and repeats are joined")
    func block() {
        let block = HeaderBlock([
            "Host": "h", "Hist": "i", "Accept": "a", "ACCEPT": "b", "X-Empty": "",
            "X-Long": String(repeating: "x", count: 70_000),
        ])
        #expect(block.value(of: "hist") == "i")
        #expect(block.value(of: "Host") == "h")
        #expect(block.value(of: "accept") == "a, b")
        #expect(block.value(of: "x-empty") == "")
        #expect(block.value(of: "X-LONG")?.utf8.count == 70_000)
        for absent in ["Hast", "Hos", "", "Origin", "X-None"] { #expect(block.value(of: absent) == nil) }
        #expect(block.fields.map(\.name) == ["Host", "Hist", "Accept", "ACCEPT", "X-Empty", "X-Long"])
        #expect(HeaderBlock().value(of: "Host") == nil)
    }

    /// The same with arrays of strings.
    private struct Model {
        var fields: [(name: String, value: String)] = []

        mutating func set(_ name: String, _ value: String?) {
            fields.removeAll { $0.name.lowercased() == name.lowercased() }
            if let value { fields.append((name, value)) }
        }

        func value(_ name: String) -> String? { fields.first { $0.name.lowercased() == name.lowercased() }?.value }
    }

    @Test("fields are added, found, replaced and removed as in a list")
    func list() {
        var random = SeededRandom.ofTest()
        // Some have the same length and first letter, and differ in the case of the others.
        let names = ["Vary", "vary", "Very", "ETag", "EtAG", "Content-Type", "X-Empty", "", "Link", "Lénk"]
        for _ in 0..<300 {
            var (fields, model) = (HeaderFields(), Model())
            for _ in 0..<random.below(20) {
                guard let name = random.pick(names) else { continue }
                let value = String(repeating: "v", count: random.below(40)) + "\(random.below(10))é"
                switch random.below(4) {
                case 0:
                    fields[name] = value
                    model.set(name, value)
                case 1:
                    fields[name] = nil
                    model.set(name, nil)
                case 2:
                    let others: HeaderFields =
                        name.lowercased() == "etag" ? [name: value] : [name: value, "ETag": "e", "X-Other": "o"]
                    fields.addMissing(others)
                    for field in others where model.value(field.name) == nil { model.fields.append(field) }
                default:
                    fields.add(name, value)
                    model.fields.append((name, value))
                }
                let copy = fields
                fields.vary("Origin")
                fields = copy
            }
            #expect(fields.map { "\($0.name): \($0.value)" } == model.fields.map { "\($0.name): \($0.value)" })
            var lent: [String] = []
            fields.forEachCString { lent.append("\(String(cString: $0)): \(String(cString: $1))") }
            #expect(lent == model.fields.map { "\($0.name): \($0.value)" })
            #expect(fields.isEmpty == model.fields.isEmpty)
            for name in names {
                #expect(fields[name] == model.value(name))
                #expect(fields.has(name) == (model.value(name) != nil))
                #expect(fields.has(name, model.value(name) ?? "") == (model.value(name) != nil))
                #expect(!fields.has(name, "another"))
            }
        }
    }
}
