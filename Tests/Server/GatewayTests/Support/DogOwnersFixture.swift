import Gateway
import HTTPMessages
import HTTPServer
import JSONCoding
import RequestHandling

/// People and their dogs, with a property of each kind that queries handle differently.
enum DogOwnersFixture {
    static let schema = #"""
        {"schemaVersion":1,"classes":[
          {"name":"Person","primaryKey":"handle","properties":[
            {"name":"handle","type":"string"},{"name":"age","type":"int?"},{"name":"height","type":"double?"},
            {"name":"worth","type":"decimal128?"},{"name":"born","type":"date?"},{"name":"alive","type":"bool","default":true},
            {"name":"photo","type":"data?"},{"name":"extra","type":"mixed"},{"name":"bio","type":"string","fullText":true},
            {"name":"dog","type":"Dog?"},{"name":"dogs","type":"Dog[]"},{"name":"friends","type":"Person<>"},
            {"name":"pets","type":"Dog?{}"},{"name":"tags","type":"string[]"},{"name":"nums","type":"int?[]"},
            {"name":"marks","type":"decimal128<>"},{"name":"prices","type":"double?{}"},{"name":"days","type":"date[]"},
            {"name":"things","type":"mixed[]"},{"name":"place","type":"Point?"}]},
          {"name":"Dog","primaryKey":"id","properties":[
            {"name":"id","type":"int"},{"name":"name","type":"string"},{"name":"age","type":"int?"},
            {"name":"breed","type":"string?"},{"name":"owners","type":"linkingObjects(Person.dogs)"}]},
          {"name":"Point","embedded":true,"properties":[
            {"name":"type","type":"string","default":"Point"},{"name":"coordinates","type":"double[]"}]}]}
        """#

    private static let dogs = #"""
        [{"id":1,"name":"Rex","age":3,"breed":"Beagle"},{"id":2,"name":"Fido","age":7,"breed":"Whippet"},
         {"id":3,"name":"Ace","age":5,"breed":"Beagle"},{"id":4,"name":"nora"}]
        """#

    private static let people = #"""
        [{"handle":"ada","age":36,"height":1.7,"worth":"10.10","born":"1990-12-10T06:30:00Z","photo":"AAEC",
          "extra":{"a":[1,"x"]},"bio":"Likes to swim and climb","dog":1,"dogs":[1,2,1],"pets":{"rex":1,"none":null},
          "tags":["red","blue"],"nums":[3,null,5],"marks":["1.5","2.5"],"prices":{"ash":2.5,"oak":null},
          "days":["2026-01-01","2025-01-01"],"things":[1,"x",{"$decimal":"2.5"}],
          "place":{"coordinates":[-123.3,48.4]}},
         {"handle":"bob","age":7,"worth":"-3","born":"1990-02-01T23:00:00Z","extra":3,"dog":2,"dogs":[3,2],
          "friends":["ada"],"tags":["red"],"prices":{"ash":1},"place":{"coordinates":[2.35,48.85]}},
         {"handle":"cy","born":"2001-07-04","extra":"x","alive":false},
         {"handle":"dee","age":7,"height":1.7,"extra":{"$decimal":"3"},"dog":4,"friends":["ada","bob"]}]
        """#

    /// Uses the in-memory store.
    static func model(_ configure: (inout GatewayConfiguration) -> Void = { _ in }) throws -> TestGateway {
        let gateway = try TestGateway(schema: schema, configure)
        try fill { try gateway.send(.post, $0, $1).status }
        return gateway
    }

    /// Uses the embedded store.
    static func embedded() throws -> Wire {
        let wire = try Wire(try SchemaCoding.decode(try JSONValue.parse(schema)))
        try fill { try wire.send(.post, $0, $1).status }
        return wire
    }

    static func fill(_ post: (String, String) throws -> Int) throws {
        for (target, body) in [("/v1/objects/Dog", dogs), ("/v1/objects/Person", people)] {
            let status = try post(target, body)
            guard status == 201 else { throw WireFailure("filling \(target): \(status)") }
        }
    }
}
