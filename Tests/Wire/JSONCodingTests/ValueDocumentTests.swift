import JSONCoding
import ObjectModel
import StoreTesting
import Testing
import TestBasics

@Suite("Values as documents in memory")
struct ValueDocumentTests {
    private static let types = BaseType.names.filter { PropertyType(text: $0) != nil && $0 != "mixed" }

    @Test("a value as a document is what its text reads as")
    func agreement() throws {
        var random = SeededRandom.ofTest()
        print("documents seed \(random.seed)")
        func check(_ value: Value, isMixed: Bool) throws {
            let text = JSONWriter()
            text.value(value, isMixed: isMixed) { _ in text.string("link") }
            let document = JSONValue(value, isMixed: isMixed) { _ in "link" }
            let parsed = Result { () throws -> JSONValue in try JSONValue.parse(text.bytes) }
            // jansson does not read a map's key with a NUL.
            if case .failure(let error) = parsed, "\(error)".contains("NUL byte in object key") { return }
            #expect(try parsed.get() == document, "\(value)")
            let again = JSONWriter()
            again.value(document)
            #expect(again.bytes == text.bytes, "\(value)")
        }
        for name in Self.types {
            for suffix in ["", "?", "[]", "<>", "{}"] {
                guard let type = PropertyType(text: name + suffix) else { continue }
                for _ in 0..<200 { try check(RandomValues.value(of: type, &random), isMixed: false) }
            }
        }
        for _ in 0..<2000 { try check(RandomValues.mixed(&random), isMixed: true) }
    }

    @Test("a link in a value without a schema has the class and the key")
    func link() {
        #expect(JSONValue.link(class: "Dog", key: 7) == ["$link": ["class": "Dog", "key": 7]])
    }
}
