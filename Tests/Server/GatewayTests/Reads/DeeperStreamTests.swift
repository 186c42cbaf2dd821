import HTTPMessages
import HTTPServer
import JSONCoding
import Testing

@Suite("Streams of what deeper paths lead to")
struct DeeperStreamTests {
    @Test(
        "an object that a path leads to is observed, until it leads elsewhere",
        arguments: DogOwnersGatewayFixture.Kind.allCases)
    func object(kind: DogOwnersGatewayFixture.Kind) throws {
        let wire = try DogOwnersGatewayFixture(kind).wire
        for path in ["Person/bob/dog", "Person/dee/friends/1/dog", "Person/ada/dogs/1", "Dog/2/owners/1/dog"] {
            let events = try wire.observe("/v1/observe/objects/\(path)")
            #expect(try events.next("initial")["object"]?["id"] == 2, "\(path)")
            let name = "dog of \(path)"
            #expect(try wire.send(.patch, "/v1/objects/Dog/2", #"{"name":"\#(name)"}"#).status == 200)
            let change = try events.next("change")
            #expect(change["changes"]?.asArray?.first?["new"] == .string(name), "\(path)")
            // Changes of another element and another link do not concern the path.
            #expect(try wire.send(.patch, "/v1/objects/Person/bob", #"{"age":8}"#).status == 200)
            #expect(try wire.send(.patch, "/v1/objects/Dog/2", #"{"name":"Fido"}"#).status == 200)
            _ = try events.next("change")
        }
        let bobs = try wire.observe("/v1/observe/objects/Person/dee/friends/1/dog")
        let second = try wire.observe("/v1/observe/objects/Person/ada/dogs/1")
        for events in [bobs, second] { _ = try events.next("initial") }
        #expect(try wire.send(.patch, "/v1/objects/Person/bob", #"{"dog":3}"#).status == 200)
        #expect(try bobs.next("error")["code"] == "observe.path_changed")
        #expect(bobs.ends())
        // By inserting before it.
        #expect(try wire.send(.post, "/v1/objects/Person/ada/dogs?index=0", "3").status < 300)
        #expect(try second.next("error")["code"] == "observe.path_changed")
        let again = try wire.observe("/v1/observe/objects/Person/dee/friends/1/dog")
        #expect(try again.next("initial")["object"]?["id"] == 3)
        // A deletion is reported as such.
        #expect(try wire.send(.delete, "/v1/objects/Dog/3").status == 204)
        #expect(try again.next().name == "deleted")
        #expect(again.ends())
    }

    @Test("a collection that a path leads to is observed, too", arguments: DogOwnersGatewayFixture.Kind.allCases)
    func collection(kind: DogOwnersGatewayFixture.Kind) throws {
        let wire = try DogOwnersGatewayFixture(kind).wire
        let tags = try wire.observe("/v1/observe/objects/Person/dee/friends/0/tags")
        #expect(try tags.next("initial")["items"] == ["red", "blue"])
        let dogs = try wire.observe("/v1/observe/objects/Person/dee/friends/0/dogs?sort=-age&fields=id")
        #expect(try dogs.next("initial")["count"] == 3)
        let sections = try wire.observe("/v1/observe/sections/Person/dee/friends/0/dogs?by=breed&fields=id")
        #expect(try sections.next("initial")["sections"]?.asArray?.count == 2)
        #expect(
            try wire.send(.patch, "/v1/objects/Person/ada", #"{"tags":["red"],"dogs":[1]}"#).status == 200)
        #expect(try tags.next("update")["deletions"] == [1])
        #expect(try dogs.next("update")["deletions"]?.asArray?.count == 2)
        #expect(try sections.next("update")["sectionsToDelete"] == [1])
        #expect(try wire.send(.patch, "/v1/objects/Person/dee", #"{"friends":["bob"]}"#).status == 200)
        for events in [tags, dogs, sections] {
            #expect(try events.next("error")["code"] == "observe.path_changed")
            #expect(events.ends())
        }
    }

    @Test("who comes back after the path led elsewhere begins with what it leads to now")
    func resuming() throws {
        let wire = try DogOwnersGatewayFixture(.embedded).wire
        let path = "/v1/observe/objects/Person/bob/dog"
        let version = try wire.mark()
        // The same path: the missed changes are reported.
        #expect(try wire.send(.patch, "/v1/objects/Dog/2", #"{"name":"Max"}"#).status == 200)
        let same = try wire.observe(path, headers: ["Last-Event-ID": version])
        #expect(try same.next("change")["changes"]?.asArray?.first?["old"] == "Fido")
        #expect(try wire.send(.patch, "/v1/objects/Person/bob", #"{"dog":3}"#).status == 200)
        #expect(try same.next("error")["code"] == "observe.path_changed")
        let other = try wire.observe(path, headers: ["Last-Event-ID": version])
        #expect(try other.next("initial")["object"]?["id"] == 3)
    }

    static let refusals: [(String, Int)] = [
        ("objects/Person/cy/dog", 404), ("objects/Person/cy/dog/name", 404), ("objects/Person/ada/tags/0", 400),
        ("objects/Person/ada/dogs/9", 404), ("objects/Person/ada/age", 400), ("objects/Person/ada/dogs/0/age", 400),
        ("objects/Person/ada/nope/1", 404), ("sections/Person/bob/dog/name?by=self", 400),
        ("objects/Person/bob/dog?sort=age", 400), ("sections/Person/dee/friends/0/tags?by=self", 400),
    ]

    @Test("what cannot be observed is refused", arguments: refusals)
    func refused(target: String, status: Int) throws {
        let answer = try DogOwnersGatewayFixture(.model).wire.send(.get, "/v1/observe/\(target)")
        #expect(answer.status == status && answer["detail"]?.asString?.isEmpty == false, "\(answer)")
    }
}
