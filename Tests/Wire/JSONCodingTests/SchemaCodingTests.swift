import JSONCoding
import ObjectModel
import Testing

@Suite("The schema as JSON")
struct SchemaCodingTests {
    private let example = #"""
        {"schemaVersion":1,"classes":[{"name":"Dog","primaryKey":"_id","embedded":false,"properties":[
        {"name":"_id","type":"int"},{"name":"name","type":"string","indexed":true,"default":"Rex"},
        {"name":"age","type":"int?"},{"name":"weight","type":"double","default":1.5},
        {"name":"born","type":"date","default":"2026-01-31T12:00:00Z"},{"name":"owner","type":"Person?"},
        {"name":"id","type":"uuid","default":"123e4567-e89b-12d3-a456-426614174000"}]},
        {"name":"Person","primaryKey":null,"embedded":false,"properties":[{"name":"name","type":"string"},
        {"name":"notes","type":"string","fullText":true},{"name":"dogs","type":"linkingObjects(Dog.owner)"},
        {"name":"tags","type":"string<>","default":["a","b"]},{"name":"rates","type":"decimal128?{}","default":{"a":"1.10"}},
        {"name":"photo","type":"data","default":"AP8="},{"name":"extra","type":"mixed","default":{"at":{"$date":"1970-01-01T00:00:00Z"}}},
        {"name":"more","type":"mixed[]"},{"name":"friends","type":"Person[]"},{"name":"home","type":"Address?"}]},
        {"name":"Address","primaryKey":null,"embedded":true,"properties":[{"name":"street","type":"string"}]}]}
        """#

    @Test("a document is decoded and encoded without a difference")
    func roundTrip() throws {
        let json = try JSONValue.parse(example)
        let schema = try SchemaCoding.decode(json)
        #expect(schema.faults() == [])
        #expect(schema["Dog"]?.properties.map(\.name) == ["_id", "name", "age", "weight", "born", "owner", "id"])
        #expect(schema["Dog"]?["name"]?.isIndexed == true)
        #expect(schema["Dog"]?["weight"]?.defaultValue == .double(1.5))
        #expect(schema["Address"]?.isEmbedded == true)
        #expect(schema["Person"]?["notes"]?.isFullTextIndexed == true)
        #expect(schema["Person"]?["home"]?.ownsTarget == true)
        let writer = JSONWriter()
        SchemaCoding.encode(schema, into: writer)
        #expect(try JSONValue.parse(writer.bytes) == json)
    }

    @Test("every fault is reported with its location")
    func faults() throws {
        let json = try JSONValue.parse(
            #"""
            {"schemaVersion":-1,"clases":[],"classes":[{"nam":"Dog","properties":[{"name":"a","type":"in<t"}]},
            {"name":"Cat","properties":[{"name":"age","type":"int","default":"x","indexd":true}]},7,
            {"name":"Cow","embedded":1,"primaryKey":2}]}
            """#)
        let faults = try #require(throws: SchemaFaults.self) { try SchemaCoding.decode(json) }.faults
        let expected = [
            "$.clases", "$.schemaVersion", "$.classes[0].nam", "$.classes[0].name", "$.classes[0].properties[0].type",
            "$.classes[1].properties[0].indexd", "$.classes[1].properties[0].default", "$.classes[2]",
            "$.classes[3].primaryKey", "$.classes[3].embedded", "$.classes[3].properties",
        ]
        #expect(faults.map(\.path) == expected)
        #expect(faults[0].hint == "classes")
        #expect(faults[5].hint == "indexed")
    }

    @Test("a document that is not a schema is rejected", arguments: ["[]", "null", "{}", #"{"schemaVersion":1}"#])
    func refused(text: String) throws {
        let json = try JSONValue.parse(text)
        #expect(throws: SchemaFaults.self) { try SchemaCoding.decode(json) }
    }
}
