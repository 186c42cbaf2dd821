import RepositoryFiles
import TestBasics
import Testing

@testable import RealmFiles

@Suite("Objects found by their keys")
struct LookupTests {
    @Test(
        "each is the one that a reading of the table finds, in any order, and there is none beside them",
        arguments: ["kinds", "owners", "many", "format-20", "format-23"])
    func objects(_ name: String) throws {
        var random = SeededRandom.ofTest(name)
        let file = try RealmFile(bytes: try RealmFixture(name: name).bytes())
        for table in file.tables {
            var objects: [Int64: String] = [:]
            try file.forEachObject(of: table) { objects[$0.key] = "\($0.values)" }
            let lookup = try file.lookup(in: table)
            #expect(lookup.count == objects.count)
            for key in objects.keys.sorted().shuffled(using: &random).prefix(200) {
                #expect(try lookup.object(key).map { "\($0.values)" } == objects[key], "\(table.name) \(key)")
                for other in [key - 1, key + 1] where objects[other] == nil {
                    #expect(try lookup.object(other)?.key == nil, "\(table.name) \(other)")
                }
            }
            #expect(try lookup.object(.min)?.key == nil && lookup.object(.max)?.key == nil)
        }
    }
}
