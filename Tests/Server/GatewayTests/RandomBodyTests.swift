import Basics
import HTTPMessages
import HTTPServer
import JSONCoding
import ObjectModel
import StoreContract
import StoreTesting
import Testing
import TestBasics

/// Random bodies, about half of which are valid.
@Suite("Random bodies")
struct RandomBodyTests {
    @Test("a body is refused as a client's fault, or what is read afterwards can be written without a difference")
    func bodies() throws {
        let seed = TestSeed.of()
        var random = SeededRandom(seed: seed)
        let gateway = try TestGateway(schema: EveryTypeFixture.schema)
        _ = try gateway.send(.post, "/v1/objects/Shelf", #"{"label":"top"}"#)
        _ = try gateway.send(.post, "/v1/objects/Book", #"{"id":1}"#)
        let properties = try #require(try gateway.store.snapshot().schema["Book"]).storedProperties.dropFirst()
        var kept = 0
        for round in 0..<400 {
            var members: [JSONObject.Member] = []
            for property in properties where Int.random(in: 0..<6, using: &random) == 0 {
                members.append(JSONObject.Member(name: property.name, value: value(for: property.type, &random)))
            }
            let writer = JSONWriter()
            writer.value(.object(JSONObject(members)))
            let body = String(decoding: writer.bytes, as: UTF8.self)
            let answer = try gateway.send(.patch, "/v1/objects/Book/1", body)
            guard answer.status == 200 else {
                #expect((400..<500).contains(answer.status), "seed \(seed), round \(round): \(body): \(answer.text)")
                continue
            }
            kept += 1
            let read = try gateway.get("/v1/objects/Book/1")
            let typed = try gateway.get("/v1/objects/Book/1?types=typed")
            for text in [read.text, typed.text] {
                let again = try gateway.send(.put, "/v1/objects/Book/1", text)
                let isSame = again.status == 200 && again.text == read.text
                try #require(isSame, "seed \(seed), round \(round): \(body) was read as \(text), then \(again.text)")
            }
        }
        if TestRun.hasFixedSeeds { #expect(kept > 40) }
    }

    /// Returns a value, mostly of the type.
    private func value(for type: PropertyType, _ random: inout SeededRandom) -> JSONValue {
        guard Int.random(in: 0..<12, using: &random) > 0 else { return anything(2, &random) }
        let elements = (0..<Int.random(in: 0..<4, using: &random)).map { _ in element(of: type, &random) }
        switch type.collection {
        case .single: return element(of: type, &random)
        case .list, .set: return .array(elements)
        case .map:
            return .object(
                JSONObject(
                    elements.enumerated().map {
                        JSONObject.Member(name: ["", "a", "B", "é"][$0.offset], value: $0.element)
                    }))
        }
    }

    private func element(of type: PropertyType, _ random: inout SeededRandom) -> JSONValue {
        if type.acceptsNull, Int.random(in: 0..<4, using: &random) == 0 { return .null }
        let bytes = (0..<Int.random(in: 0..<9, using: &random)).map { _ in UInt8(truncatingIfNeeded: random.next()) }
        switch type.base {
        case .bool: return .bool(true)
        case .int: return .int(Int64(bitPattern: random.next()))
        case .float, .double: return .double(Double(Int64(bitPattern: random.next()) >> 20) / 64)
        case .string: return .string(String(decoding: bytes, as: UTF8.self))
        case .data: return .string(Base64.standard.encode(bytes))
        case .date: return .string(Timestamp(seconds: Int64(random.next() % 4_000_000_000)).rfc3339)
        case .decimal128: return .string(Decimal128(Double(bitPattern: random.next())).description)
        case .objectId: return .string(ObjectId(high: 1, low: random.next()).hex)
        case .uuid: return .string(UUIDValue(high: 1, low: random.next()).text)
        case .mixed: return anything(4, &random)
        case .link("Book"): return .int(1)
        case .link("Shelf"): return ["$link": ["class": .string("Shelf"), "key": .int(0)]]
        case .link("Publisher"):
            return ["name": .string("p"), "address": ["street": .string("s"), "codes": [.int(1)], "main": .int(1)]]
        case .link("Edition"): return ["year": .int(Int64(truncatingIfNeeded: random.next() % 3000))]
        case .link, .linkingObjects: return .null
        }
    }

    private func anything(_ depth: Int, _ random: inout SeededRandom) -> JSONValue {
        switch Int.random(in: 0..<(depth > 0 ? 14 : 10), using: &random) {
        case 0: return .null
        case 1: return .bool(false)
        case 2: return .int(Int64(bitPattern: random.next()))
        case 3: return .double(Double(Int64(bitPattern: random.next()) >> 11) / 1024)
        case 4: return .string("text \(random.next() % 10)")
        case 5: return ["$date": .string("1970-01-01T00:00:0\(random.next() % 10)Z")]
        case 6: return ["$decimal": .string("\(random.next() % 100).\(random.next() % 100)")]
        case 7: return ["$float": .double(Double(Float(random.next() % 1000) / 10))]
        case 8: return ["$link": ["class": .string("Book"), "key": .int(1)]]
        case 9: return ["$\(["oid", "link", "what", "dictionary"].randomElement(using: &random) ?? "")": .int(1)]
        case 10, 11:
            return .array((0..<Int.random(in: 0..<4, using: &random)).map { _ in anything(depth - 1, &random) })
        default:
            let names = ["a", "b", "c d", "$e", "f.g", "date"].shuffled(using: &random)
            return .object(
                JSONObject(
                    names.prefix(Int.random(in: 0..<4, using: &random)).map {
                        JSONObject.Member(name: $0, value: anything(depth - 1, &random))
                    }))
        }
    }
}
