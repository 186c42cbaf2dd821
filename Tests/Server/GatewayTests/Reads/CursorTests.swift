import Basics
import Foundation
import HTTPMessages
import HTTPServer
import JSONCoding
import ObjectModel
import QueryLanguage
import RequestParameters
import StoreTesting
import Testing
import TestBasics

@Suite("Cursors while data changes")
struct CursorTests {
    @Test(
        "each object that stays as it is comes once and in its place",
        arguments: DogOwnersGatewayFixture.Kind.allCases, ["", "age", "-age", "breed,-age", "-breed,name"])
    func walk(kind: DogOwnersGatewayFixture.Kind, sort: String) throws {
        var random = SeededRandom.ofTest("\(kind) \(sort)")
        let seed = random.seed
        for _ in 0..<4 {
            let wire = try DogOwnersGatewayFixture(kind).wire
            var next = 100
            func dog(_ random: inout SeededRandom) -> String {
                next += 1
                let age = random.oneIn(4) ? "null" : "\(random.below(4))"
                let breed = random.oneIn(4) ? "null" : #""b\#(random.below(3))""#
                return #"{"id":\#(next),"name":"n\#(random.below(5))","age":\#(age),"breed":\#(breed)}"#
            }
            let dogs = (0..<30).map { _ in dog(&random) }.joined(separator: ",")
            guard try wire.send(.post, "/v1/objects/Dog", "[\(dogs)]").status == 201 else { throw WireFailure("dogs") }
            let before = try wire.send(.get, "/v1/objects/Dog\(CollectionPath.query([("sort", sort)]))").rows
            var touched: Set<Int> = []
            var seen: [JSONValue] = []
            var after = ""
            var pages = 0
            repeat {
                let limit = "\(1 + random.below(5))"
                let page = try wire.send(
                    .get, "/v1/objects/Dog\(CollectionPath.query([("sort", sort), ("limit", limit), ("after", after)]))"
                )
                #expect(page.status == 200, "seed \(seed): \(page)")
                seen += page.rows
                after = page["next"]?.asString ?? ""
                // The object of the cursor is changed or deleted like any other; new ones are inserted everywhere.
                for _ in 0..<random.below(4) {
                    let any = random.oneIn(2) ? page.rows.last : random.pick(before)
                    guard let id = any?["id"]?.asInt else { continue }
                    switch random.below(3) {
                    case 0:
                        touched.insert(id)
                        _ = try wire.send(.delete, "/v1/objects/Dog/\(id)")
                    case 1:
                        touched.insert(id)
                        _ = try wire.send(
                            .patch, "/v1/objects/Dog/\(id)",
                            #"{"age":\#(random.below(4)),"breed":"b\#(random.below(3))"}"#)
                    default: _ = try wire.send(.post, "/v1/objects/Dog", dog(&random))
                    }
                }
                pages += 1
            } while !after.isEmpty && pages < 200
            let stayed = before.filter { !touched.contains($0["id"]?.asInt ?? 0) }
            let known = Set(stayed.compactMap { $0["id"]?.asInt })
            #expect(
                seen.filter { known.contains($0["id"]?.asInt ?? 0) } == stayed, "seed \(seed), sort '\(sort)'")
        }
    }

    /// Texts of so many letters, equal but for their ends.
    private static func text(_ letter: String, _ end: Int) -> String {
        String(repeating: letter, count: 7_000) + "\(end)"
    }

    @Test(
        "a page of long values has a short cursor, whatever it is sorted by",
        arguments: DogOwnersGatewayFixture.Kind.allCases,
        ["name", "-name,age", "breed,-name", "-breed,name,-id", "name&distinct=name,breed"])
    func longValues(kind: DogOwnersGatewayFixture.Kind, sort: String) throws {
        var random = SeededRandom.ofTest("\(kind) \(sort)")
        let wire = try DogOwnersGatewayFixture(kind).wire
        let dogs = (0..<12).map { index in
            let breed = random.oneIn(4) ? "null" : "\"\(Self.text("b", random.below(3)))\""
            let name = Self.text("n", random.below(4))
            return #"{"id":\#(100 + index),"name":"\#(name)","age":\#(index),"breed":\#(breed)}"#
        }
        guard try wire.send(.post, "/v1/objects/Dog", "[\(dogs.joined(separator: ","))]").status == 201 else {
            throw WireFailure("dogs")
        }
        let all = try wire.send(.get, "/v1/objects/Dog?sort=\(sort)").rows
        var seen: [JSONValue] = []
        var after: String?
        repeat {
            let page = try wire.send(
                .get, "/v1/objects/Dog?limit=1&sort=\(sort)" + (after.map { "&after=\($0)" } ?? ""))
            #expect(page.status == 200, "\(page)")
            seen += page.rows
            after = page["next"]?.asString
            #expect(after?.utf8.count ?? 0 < 1_200)
        } while after != nil && seen.count <= all.count
        #expect(seen == all)
    }

    @Test(
        "a cursor of a long value that has changed since, or whose object is gone, leads to the rest as it was",
        arguments: DogOwnersGatewayFixture.Kind.allCases, ["change", "delete"])
    func changedLongValues(kind: DogOwnersGatewayFixture.Kind, what: String) throws {
        let wire = try DogOwnersGatewayFixture(kind).wire
        let dogs = (0..<6).map { #"{"id":\#(100 + $0),"name":"\#(Self.text("n", $0))"}"# }.joined(separator: ",")
        guard try wire.send(.post, "/v1/objects/Dog", "[\(dogs)]").status == 201 else { throw WireFailure("dogs") }
        let query = "/v1/objects/Dog?sort=name&limit=3&filter=id%20%3E%3D%20100"
        let first = try wire.send(.get, query)
        let after = try #require(first["next"]?.asString)
        if what == "change" {
            _ = try wire.send(.patch, "/v1/objects/Dog/102", #"{"name":"z"}"#)
        } else {
            _ = try wire.send(.delete, "/v1/objects/Dog/102")
        }
        let second = try wire.send(.get, query + "&after=\(after)")
        let ids = second.rows.compactMap { $0["id"]?.asInt }
        #expect(ids == [103, 104, 105], "\(second)")
        // Without its history nobody knows the earlier value.
        let schema = DogOwnersFixture.schema.replacingOccurrences(
            of: #""schemaVersion":1"#, with: #""schemaVersion":2"#
        ).replacingOccurrences(of: #"{"name":"breed","#, with: #"{"name":"chip","type":"int?"},{"name":"breed","#)
        let put = try wire.send(.put, "/v1/schema", schema)
        guard put.status == 200 else { throw WireFailure("\(put)") }
        let gone = try wire.send(.get, query + "&after=\(after)")
        #expect(gone.status == 410 && gone["code"]?.asString == "cursor.gone", "\(gone)")
    }

    @Test("the mark of a cursor is read from its beginning, whatever follows", arguments: [1, 123_456, UInt64.max])
    func marks(version: UInt64) throws {
        for view in [nil, UInt32.max] {
            let mark = Mark(Version(version), HistoryTag(rawValue: .max)).seen(by: view)
            for values in [[], [.string(#"a",["b"#), nil, .int(.max)]] as [[Value?]] {
                let cursor = Cursor(values: values, key: ObjectKey(.max))
                let text = CursorCoding.encode(cursor, of: mark, class: ClassID(.max), sort: [])
                #expect(CursorCoding.mark(of: text) == mark)
                #expect(try CursorCoding.parts(of: text) { _ in }.mark == mark)
            }
            let offset = OffsetCursor(mark: mark, position: 3).encoded(for: .min)
            #expect(CursorCoding.mark(of: offset) == mark)
        }
        for text in ["", "?", "next", Base64.url.encode(Array(#"[4,"1"]"#.utf8)), Base64.url.encode([0x5b, 0x22])] {
            #expect(CursorCoding.mark(of: text) == nil)
        }
    }
}
