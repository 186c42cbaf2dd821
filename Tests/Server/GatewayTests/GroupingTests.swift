import Gateway
import HTTPMessages
import HTTPServer
import HTTPTesting
import JSONCoding
import RequestHandling
import Testing

/// A request and the response's body after the version.
struct Asked: Sendable, CustomTestStringConvertible {
    let target: String
    let body: String

    init(_ target: String, _ body: String) {
        self.target = target
        self.body = body
    }

    var testDescription: String { target }
}

/// A request that is rejected.
struct Refused: Sendable, CustomTestStringConvertible {
    let target: String
    let status: Int
    let code: String
    let parameter: String?

    init(_ target: String, _ status: Int, _ code: String, parameter: String? = nil) {
        self.target = target
        self.status = status
        self.code = code
        self.parameter = parameter
    }

    var testDescription: String { target }
}

@Suite("Groups, sections and what a property holds")
struct GroupingTests {
    static let aggregates = [
        Asked(
            "aggregates/objects/Person?min=worth&max=worth&sum=worth&average=worth",
            #""count":4,"min":{"worth":"-3"},"max":{"worth":"10.10"},"sum":{"worth":"7.10"},"average":{"worth":"3.55"}}"#
        ),
        Asked(
            "aggregates/objects/Person?min=born&max=born",
            #""count":4,"min":{"born":"1990-02-01T23:00:00Z"},"max":{"born":"2001-07-04T00:00:00Z"}}"#),
        Asked(
            "aggregates/objects/Person?min=extra&max=extra&sum=extra&average=extra",
            #""count":4,"min":{"extra":3},"max":{"extra":{"a":[1,"x"]}},"sum":{"extra":"6"},"average":{"extra":"3"}}"#),
        Asked(
            "aggregates/objects/Person?by=age&average=height&sum=worth",
            #""groups":[{"key":{"age":null},"count":1,"sum":{"worth":"0"},"average":{"height":null}},{"key":{"age":7},"count":2,"sum":{"worth":"-3"},"average":{"height":1.7}},{"key":{"age":36},"count":1,"sum":{"worth":"10.10"},"average":{"height":1.7}}]}"#
        ),
        Asked(
            "aggregates/objects/Person?by=age&average=height&having=average(height) > 1 AND count < 2",
            #""groups":[{"key":{"age":36},"count":1,"average":{"height":1.7}}]}"#),
        Asked(
            "aggregates/objects/Person?by=age&having=1 < count() || age == NULL&order=-count",
            #""groups":[{"key":{"age":7},"count":2},{"key":{"age":null},"count":1}]}"#),
        Asked(
            "aggregates/objects/Person?by=age&having=age IN {7, 36}&order=-age&limit=1",
            #""groups":[{"key":{"age":36},"count":1}],"others":{"groups":1,"count":2}}"#),
        Asked(
            "aggregates/objects/Person?by=age&top=1&having=!(age == 7)",
            #""groups":[{"key":{"age":null},"count":1}],"others":{"groups":1,"count":1}}"#),
        Asked(
            "aggregates/objects/Person?by=age&sum=worth&having=sum( worth ) BETWEEN {5, 10.1}",
            #""groups":[{"key":{"age":36},"count":1,"sum":{"worth":"10.10"}}]}"#),
        Asked(
            "aggregates/objects/Person?by=alive&max=born&having=max(born) >= 2001-07-04@00:00:00&filter=age != NULL",
            #""groups":[]}"#),
        Asked(
            "aggregates/objects/Person?by=dog.breed&having=dog.breed BEGINSWITH[c] 'b' OR dog.breed == NULL",
            #""groups":[{"key":{"dog.breed":null},"count":2},{"key":{"dog.breed":"Beagle"},"count":1}]}"#),
        Asked(
            "aggregates/objects/Person?by=alive&max=extra&having=max(extra) > 2",
            #""groups":[]}"#),
        Asked("aggregates/objects/Person?by=age&having=FALSEPREDICATE", #""groups":[]}"#),
        Asked(
            "aggregates/objects/Person/ada/nums?by=self&having=count >= 1 AND self != NULL&order=-self&limit=1",
            #""groups":[{"key":{"self":5},"count":1}],"others":{"groups":1,"count":1}}"#),
        Asked(
            "aggregates/objects/Person?by=dog.breed,alive&filter=handle+!=+'bob'",
            #""groups":[{"key":{"dog.breed":null,"alive":false},"count":1},{"key":{"dog.breed":null,"alive":true},"count":1},{"key":{"dog.breed":"Beagle","alive":true},"count":1}]}"#
        ),
        Asked(
            "aggregates/objects/Person?by=extra",
            #""groups":[{"key":{"extra":3},"count":2},{"key":{"extra":"x"},"count":1},{"key":{"extra":{"a":[1,"x"]}},"count":1}]}"#
        ),
        Asked(
            "aggregates/objects/Person?by=born&types=typed&filter=born+!=+nil&distinct=alive",
            #""groups":[{"key":{"born":{"$date":"1990-12-10T06:30:00Z"}},"count":1},{"key":{"born":{"$date":"2001-07-04T00:00:00Z"}},"count":1}]}"#
        ),
        Asked("aggregates/objects/Person?by=age&filter=FALSEPREDICATE", #""groups":[]}"#),
        Asked(
            "aggregates/objects/Person?by=age&top=1&average=height",
            #""groups":[{"key":{"age":7},"count":2,"average":{"height":1.7}}],"others":{"groups":2,"count":2}}"#),
        // Groups of one size keep the order of their keys.
        Asked(
            "aggregates/objects/Person?by=alive,age&top=2",
            #""groups":[{"key":{"alive":true,"age":7},"count":2},{"key":{"alive":false,"age":null},"count":1}],"others":{"groups":1,"count":1}}"#
        ),
        Asked(
            "aggregates/objects/Person?by=dog.breed&top=9",
            #""groups":[{"key":{"dog.breed":null},"count":2},{"key":{"dog.breed":"Beagle"},"count":1},{"key":{"dog.breed":"Whippet"},"count":1}],"others":{"groups":0,"count":0}}"#
        ),
        // In an order; nulls are last where it descends.
        Asked(
            "aggregates/objects/Person?by=age&average=height&order=-age",
            #""groups":[{"key":{"age":36},"count":1,"average":{"height":1.7}},{"key":{"age":7},"count":2,"average":{"height":1.7}},{"key":{"age":null},"count":1,"average":{"height":null}}]}"#
        ),
        Asked(
            "aggregates/objects/Person?by=age&average=height&sum=worth&order=-average(height),sum(worth)&limit=2",
            #""groups":[{"key":{"age":7},"count":2,"sum":{"worth":"-3"},"average":{"height":1.7}},{"key":{"age":36},"count":1,"sum":{"worth":"10.10"},"average":{"height":1.7}}],"others":{"groups":1,"count":1}}"#
        ),
        // Ties have the order of the keys, whatever the direction.
        Asked(
            "aggregates/objects/Person?by=age&average=height&order=-average(height)&offset=1",
            #""groups":[{"key":{"age":36},"count":1,"average":{"height":1.7}},{"key":{"age":null},"count":1,"average":{"height":null}}],"others":{"groups":1,"count":2}}"#
        ),
        Asked(
            "aggregates/objects/Person?by=age&order=count(),+-age",
            #""groups":[{"key":{"age":36},"count":1},{"key":{"age":null},"count":1},{"key":{"age":7},"count":2}]}"#),
        Asked(
            "aggregates/objects/Person?by=age&limit=1&offset=1",
            #""groups":[{"key":{"age":7},"count":2}],"others":{"groups":2,"count":2}}"#),
        Asked(
            "aggregates/objects/Person?by=age&order=-count&limit=0",
            #""groups":[],"others":{"groups":3,"count":4}}"#),
        Asked(
            "aggregates/objects/Person/ada/nums?by=self&max&order=-max(self)&limit=1",
            #""groups":[{"key":{"self":5},"count":1,"max":{"self":5}}],"others":{"groups":2,"count":2}}"#),
        Asked(
            "aggregates/objects/Person?by=age&bins=4",
            #""bins":[{"from":0,"to":10,"count":2},{"from":10,"to":20,"count":0},{"from":20,"to":30,"count":0},{"from":30,"to":40,"count":1}],"others":{"groups":1,"count":1}}"#
        ),
        Asked(
            "aggregates/objects/Person?by=worth&bins=2",
            #""bins":[{"from":"-20","to":"0","count":1},{"from":"0","to":"20","count":1}],"others":{"groups":1,"count":2}}"#
        ),
        Asked(
            "aggregates/objects/Person?by=born&bins=2&types=typed",
            #""bins":[{"from":{"$date":"1990-01-01T00:00:00Z"},"to":{"$date":"2000-01-01T00:00:00Z"},"count":2},{"from":{"$date":"2000-01-01T00:00:00Z"},"to":{"$date":"2010-01-01T00:00:00Z"},"count":1}],"others":{"groups":1,"count":1}}"#
        ),
        Asked(
            "aggregates/objects/Person?by=age&bins=4&filter=FALSEPREDICATE",
            #""bins":[],"others":{"groups":0,"count":0}}"#),
        Asked(
            "aggregates/objects/Person/ada/nums?by=self&bins=3",
            #""bins":[{"from":3,"to":4,"count":1},{"from":4,"to":5,"count":0},{"from":5,"to":6,"count":1}],"others":{"groups":1,"count":1}}"#
        ),
        Asked(
            "aggregates/objects/Person/ada/nums?min&max=self&sum&average",
            #""count":3,"min":{"self":3},"max":{"self":5},"sum":{"self":8},"average":{"self":4.0}}"#),
        Asked("aggregates/objects/Person/cy/nums?min&sum", #""count":0,"min":{"self":null},"sum":{"self":0}}"#),
        Asked(
            "aggregates/objects/Person/ada/marks?sum&average",
            #""count":2,"sum":{"self":"4.0"},"average":{"self":"2.0"}}"#),
        Asked("aggregates/objects/Person/ada/prices?sum&count", #""count":2,"sum":{"self":2.5}}"#),
        Asked("aggregates/objects/Person/ada/days?max", #""count":2,"max":{"self":"2026-01-01T00:00:00Z"}}"#),
        Asked(
            "aggregates/objects/Person/ada/things?min&max&sum",
            #""count":3,"min":{"self":1},"max":{"self":"x"},"sum":{"self":"3.5"}}"#),
        // A list counts an object once for each occurrence.
        Asked("aggregates/objects/Person/ada/dogs?sum=age&min=age", #""count":3,"min":{"age":3},"sum":{"age":13}}"#),
        Asked(
            "aggregates/objects/Person/ada/dogs?by=breed&filter=age+<+10",
            #""groups":[{"key":{"breed":"Beagle"},"count":2},{"key":{"breed":"Whippet"},"count":1}]}"#),
        Asked("aggregates/objects/Dog/2/owners?average=age", #""count":2,"average":{"age":21.5}}"#),
    ]

    static let sections = [
        Asked(
            "sections/objects/Dog?by=breed&fields=id",
            #""count":4,"sections":[{"key":null,"count":1,"items":[{"id":4}]},{"key":"Beagle","count":2,"items":[{"id":1},{"id":3}]},{"key":"Whippet","count":1,"items":[{"id":2}]}]}"#
        ),
        Asked(
            "sections/objects/Dog?by=breed&ascending=false&sort=-id&fields=id",
            #""count":4,"sections":[{"key":"Whippet","count":1,"items":[{"id":2}]},{"key":"Beagle","count":2,"items":[{"id":3},{"id":1}]},{"key":null,"count":1,"items":[{"id":4}]}]}"#
        ),
        Asked(
            "sections/objects/Dog?by=breed&sort=-id&fields=id",
            #""count":4,"sections":[{"key":null,"count":1,"items":[{"id":4}]},{"key":"Beagle","count":2,"items":[{"id":3},{"id":1}]},{"key":"Whippet","count":1,"items":[{"id":2}]}]}"#
        ),
        Asked("sections/objects/Dog?by=name.first&keys=true", #""keys":["A","F","N","R"]}"#),
        Asked("sections/objects/Dog?by=name.first&keys=true&ascending=false", #""keys":["R","N","F","A"]}"#),
        Asked("sections/objects/Person?by=born.year&keys=true", #""keys":[null,1990,2001]}"#),
        Asked(
            "sections/objects/Person?by=born.month&keys=true&filter=born+!=+nil",
            #""keys":["1990-02","1990-12","2001-07"]}"#),
        Asked(
            "sections/objects/Person?by=born.isNull&fields=handle&limit=1",
            #""count":4,"sections":[{"key":false,"count":3,"items":[{"handle":"bob"}]},{"key":true,"count":1,"items":[{"handle":"dee"}]}]}"#
        ),
        Asked("sections/objects/Person?by=extra&keys=true", #""keys":[3,"x",{"a":[1,"x"]}]}"#),
        Asked("sections/objects/Person?by=worth&keys=true", #""keys":[null,"-3","10.10"]}"#),
        Asked(
            "sections/objects/Person?by=dog.breed&index=1&fields=handle",
            #""count":4,"sections":[{"key":"Beagle","count":1,"items":[{"handle":"ada"}]}]}"#),
        Asked(
            "sections/objects/Dog?by=breed&section=Beagle&fields=id&offset=1",
            #""count":4,"sections":[{"key":"Beagle","count":2,"items":[{"id":3}]}]}"#),
        Asked(
            "sections/objects/Dog?by=breed&section=null&fields=id&limit=0",
            #""count":4,"sections":[{"key":null,"count":1,"items":[]}]}"#),
        Asked(
            "sections/objects/Person?by=age&section=7.0&fields=handle",
            #""count":4,"sections":[{"key":7,"count":2,"items":[{"handle":"bob"},{"handle":"dee"}]}]}"#),
        Asked(
            "sections/objects/Person?by=worth&section=-3&fields=handle",
            #""count":4,"sections":[{"key":"-3","count":1,"items":[{"handle":"bob"}]}]}"#),
        Asked(
            "sections/objects/Person?by=born&section=2001-07-04T00:00:00Z&fields=handle",
            #""count":4,"sections":[{"key":"2001-07-04T00:00:00Z","count":1,"items":[{"handle":"cy"}]}]}"#),
        Asked("sections/objects/Dog?by=breed&filter=FALSEPREDICATE", #""count":0,"sections":[]}"#),
        Asked(
            "sections/objects/Person/ada/dogs?by=breed&fields=id",
            #""count":3,"sections":[{"key":"Beagle","count":2,"items":[{"id":1},{"id":1}]},{"key":"Whippet","count":1,"items":[{"id":2}]}]}"#
        ),
    ]

    static let held = [
        Asked("objects/Person/ada/dogs?fields=id&count=true", #""count":3,"items":[{"id":1},{"id":2},{"id":1}]}"#),
        Asked(
            "objects/Person/ada/dogs?fields=id&sort=-age&limit=2",
            #""items":[{"id":2},{"id":1}],"next":"WzUsIjMtMGExYjJjM2QiLDIsNDg0MjYyNjE3OTM1MDM4ODYwNF0"}"#),
        Asked("objects/Person/ada/dogs?fields=id&filter=breed+==+'Beagle'&offset=1", #""items":[{"id":1}]}"#),
        Asked("objects/Person/ada/dogs?fields=id&distinct=id", #""items":[{"id":1},{"id":2}]}"#),
        Asked("objects/Person/ada/pets?fields=id", #""items":[{"id":1}]}"#),
        Asked("objects/Person/dee/friends?fields=handle&sort=-age", #""items":[{"handle":"ada"},{"handle":"bob"}]}"#),
        Asked("objects/Person/cy/dogs", #""items":[]}"#),
        Asked("objects/Dog/2/owners?fields=handle&filter=age+>+10", #""items":[{"handle":"ada"}]}"#),
        Asked("objects/Dog/1/owners?fields=handle", #""items":[{"handle":"ada"},{"handle":"ada"}]}"#),
        Asked("objects/Person/ada/tags", #""count":2,"items":["red","blue"]}"#),
        Asked("objects/Person/ada/nums?offset=1&limit=1", #""count":3,"items":[null]}"#),
        Asked("objects/Person/ada/nums?offset=9&limit=0", #""count":3,"items":[]}"#),
        Asked("objects/Person/ada/marks?types=typed", #""count":2,"items":[{"$decimal":"1.5"},{"$decimal":"2.5"}]}"#),
        Asked("objects/Person/ada/prices", #""count":2,"items":{"ash":2.5,"oak":null}}"#),
        Asked("objects/Person/ada/prices?offset=1", #""count":2,"items":{"oak":null}}"#),
        Asked("objects/Person/ada/things", #""count":3,"items":[1,"x",{"$decimal":"2.5"}]}"#),
        Asked("objects/Person/ada/age", #""value":36}"#),
        Asked("objects/Person/ada/tags?sort=self", #""count":2,"items":["blue","red"]}"#),
    ]

    @Test("the answer is as described, from both stores", arguments: aggregates + sections + held)
    func answers(asked: Asked) throws {
        let target = "/v1/" + asked.target.replacing(" ", with: "%20")
        let model = try DogOwnersFixture.model()
        let expected = #"{"version":3,"# + asked.body
        let answer = try model.get(target)
        #expect(Unmarked.text(answer.text) == Unmarked.text(expected))
        #expect(answer.status == 200)
        let tag = try #require(answer.headers["ETag"])
        #expect(try model.get(target, headers: ["If-None-Match": tag]).status == 304)
        let embedded = try DogOwnersFixture.embedded().send(.get, target)
        #expect(embedded.json?["version"] == .int(3))
        #expect(Unmarked.text(embedded.text) == Unmarked.text(expected))
    }

    static let refusals = [
        Refused("aggregates/objects/Person?having=count > 1", 400, "parameter.invalid", parameter: "having"),
        Refused("aggregates/objects/Person?by=age&having=", 400, "query.syntax", parameter: "having"),
        Refused("aggregates/objects/Person?by=age&having=count", 400, "query.syntax", parameter: "having"),
        Refused(
            "aggregates/objects/Person?by=age&having=count > 1 SORT(age ASC)", 400, "query.syntax", parameter: "having"),
        Refused(
            "aggregates/objects/Person?by=age&having="
                + Array(repeating: "count > 0", count: 101).joined(separator: " OR "),
            400, "query.too_many_keys", parameter: "having"),
        Refused("aggregates/objects/Person?by=age&having=count(", 400, "query.syntax", parameter: "having"),
        Refused("aggregates/objects/Person?by=age&having=count > 'x'", 400, "query.type_mismatch", parameter: "having"),
        Refused("aggregates/objects/Person?by=age&having=count > age", 400, "query.invalid", parameter: "having"),
        Refused("aggregates/objects/Person?by=age&having=1 == 1", 400, "query.invalid", parameter: "having"),
        Refused("aggregates/objects/Person?by=age&having=count * 2 > 3", 400, "query.invalid", parameter: "having"),
        Refused(
            "aggregates/objects/Person?by=age&having=SUBQUERY(dogs, $d, $d.age > 1).@count > 1", 400, "query.invalid",
            parameter: "having"),
        Refused("aggregates/objects/Person?by=age&having=count > $0", 400, "query.argument", parameter: "having"),
        Refused(
            "aggregates/objects/Person?by=age&having=handle == 'a'", 400, "query.unknown_property", parameter: "having"),
        Refused(
            "aggregates/objects/Person?by=age&bins=3&having=count > 1", 400, "parameter.invalid", parameter: "having"),
        Refused(
            "aggregates/objects/Person/ada/nums?by=self&having=max(age) > 1", 400, "query.unknown_property",
            parameter: "having"),
        Refused(
            "observe/aggregates/objects/Person?by=age&having=max(age) > 1", 400, "query.unknown_property",
            parameter: "having"),
        Refused("observe/aggregates/objects/Person?by=age&bins=3&max=age", 400, "parameter.invalid", parameter: "bins"),
        Refused("observe/aggregates/objects/Person?by=handle&bins=3", 400, "parameter.invalid", parameter: "bins"),
        Refused("aggregates/objects/Person?sum=handle", 400, "query.invalid", parameter: "sum"),
        Refused("aggregates/objects/Person?average=born", 400, "query.invalid", parameter: "average"),
        Refused("aggregates/objects/Person?min=agee", 400, "query.unknown_property", parameter: "min"),
        Refused("aggregates/objects/Person?by=tags", 400, "query.invalid", parameter: "by"),
        Refused("aggregates/objects/Person?by=dog", 400, "query.invalid", parameter: "by"),
        Refused("aggregates/objects/Person?by=", 400, "query.syntax", parameter: "by"),
        Refused("aggregates/objects/Person?top=3", 400, "parameter.invalid", parameter: "top"),
        Refused("aggregates/objects/Person?by=age&top=0", 400, "parameter.invalid", parameter: "top"),
        Refused("aggregates/objects/Person?by=age&top=3&bins=3", 400, "parameter.invalid", parameter: "bins"),
        Refused("aggregates/objects/Person?by=age&bins=501", 400, "parameter.invalid", parameter: "bins"),
        Refused("aggregates/objects/Person?by=handle&bins=3", 400, "parameter.invalid", parameter: "bins"),
        Refused("aggregates/objects/Person?by=extra&bins=3", 400, "parameter.invalid", parameter: "bins"),
        Refused("aggregates/objects/Person?by=age,height&bins=3", 400, "parameter.invalid", parameter: "bins"),
        Refused("aggregates/objects/Person?by=age&bins=3&min=age", 400, "parameter.invalid", parameter: "bins"),
        Refused("aggregates/objects/Person?order=-count", 400, "parameter.invalid", parameter: "order"),
        Refused("aggregates/objects/Person?limit=3", 400, "parameter.invalid", parameter: "limit"),
        Refused("aggregates/objects/Person?by=age&order=", 400, "parameter.invalid", parameter: "order"),
        Refused("aggregates/objects/Person?by=age&order=height", 400, "parameter.invalid", parameter: "order"),
        Refused("aggregates/objects/Person?by=age&limit=-1", 400, "parameter.invalid", parameter: "limit"),
        Refused("aggregates/objects/Person?by=age&top=3&order=age", 400, "parameter.invalid", parameter: "order"),
        Refused("aggregates/objects/Person?by=age&top=3&offset=1", 400, "parameter.invalid", parameter: "offset"),
        Refused("aggregates/objects/Person?by=age&bins=3&limit=3", 400, "parameter.invalid", parameter: "bins"),
        Refused("aggregates/objects/Person/ada/tags?min", 400, "query.invalid", parameter: "min"),
        Refused("aggregates/objects/Person/ada/days?sum", 400, "query.invalid", parameter: "sum"),
        Refused("aggregates/objects/Person/ada/nums?min=age", 400, "query.invalid", parameter: "min"),
        Refused("aggregates/objects/Person/ada/nums?filter=age>1", 400, "query.invalid", parameter: "filter"),
        Refused("aggregates/objects/Person/zoe/nums?min", 404, "object.not_found"),
        Refused("sections/objects/Person", 400, "parameter.missing", parameter: "by"),
        Refused("sections/objects/Person?by=agee", 400, "query.unknown_property", parameter: "by"),
        Refused("sections/objects/Person?by=age.year", 400, "query.invalid", parameter: "by"),
        Refused("sections/objects/Person?by=dogs.age", 400, "query.invalid", parameter: "by"),
        Refused("sections/objects/Person?by=age&index=9", 404, "section.not_found", parameter: "index"),
        Refused("sections/objects/Person?by=age&index=-1", 400, "parameter.invalid", parameter: "index"),
        Refused("sections/objects/Person?by=age&section=8", 404, "section.not_found", parameter: "section"),
        Refused("sections/objects/Person?by=age&section=7&index=0", 400, "parameter.invalid", parameter: "section"),
        Refused("sections/objects/Person?by=age&ascending=up", 400, "parameter.invalid", parameter: "ascending"),
        Refused("sections/objects/Person/ada/tags?by=handle", 400, "query.invalid", parameter: "by"),
        Refused("objects/Person/cy/dog", 404, "object.not_found"),
        Refused("aggregates/objects/Person/ada/age", 400, "path.not_a_collection"),
        Refused("sections/objects/Person/ada/dog?by=age", 400, "path.not_a_collection"),
        Refused("objects/Person/ada/dgos", 404, "path.unknown_property"),
        Refused("objects/Person/zoe/dogs", 404, "object.not_found"),
        Refused("objects/Persn/ada/dogs", 404, "object.unknown_class"),
        Refused("objects/Person/ada/tags?sort=age", 400, "query.invalid", parameter: "sort"),
        Refused("objects/Person/ada/dogs?after=x", 400, "cursor.invalid", parameter: "after"),
        Refused("objects/Person?explain=why", 400, "parameter.invalid", parameter: "explain"),
        Refused("observe/objects/Person/ada/tags?sort=age", 400, "parameter.unknown", parameter: "sort"),
        Refused("observe/sections/Person", 400, "parameter.missing", parameter: "by"),
        Refused("observe/sections/Person?by=agee", 400, "query.unknown_property", parameter: "by"),
        Refused("observe/sections/Person?by=age&limit=2", 400, "parameter.unknown", parameter: "limit"),
        Refused(
            "observe/sections/Person?by=age&sort=age&ascending=true", 400, "parameter.invalid", parameter: "ascending"),
        Refused("observe/sections/Person/ada/tags?by=age", 400, "sections.values"),
        Refused("observe/aggregates/objects/Person/ada/tags?max", 400, "aggregate.values"),
        Refused("observe/aggregates/objects/Person?top=3", 400, "parameter.invalid", parameter: "top"),
        Refused("observe/aggregates/objects/Person?by=age&order=agee", 400, "parameter.invalid", parameter: "order"),
        Refused("observe/aggregates/objects/Person?sum=handle", 400, "query.invalid", parameter: "sum"),
        Refused("observe/aggregates/objects/Person/ada/age", 400, "path.not_a_collection"),
    ]

    @Test("what cannot be answered is refused with what to do", arguments: refusals)
    func refused(refusal: Refused) throws {
        let answer = try DogOwnersFixture.model().get("/v1/" + refusal.target.replacing(" ", with: "%20"))
        #expect(answer.status == refusal.status, "\(answer.text)")
        #expect(answer.member("code") == .string(refusal.code), "\(answer.text)")
        #expect(answer.member("parameter") == refusal.parameter.map { .string($0) }, "\(answer.text)")
    }

    @Test(
        "a condition on what the request does not have is refused at its position, with what was meant",
        arguments: [
            ("count > 1 AND averge(height) > 1", 14, "average(height)", "known of groups"),
            ("sum(height) > 1", 0, nil, "Give sum=height, too"), ("NOT agee == 3", 4, "age", "known of groups"),
            ("handle != 'x'", 0, nil, "known of groups"),
            ("average( heigth ) > 1", 0, "average(height)", "does not ask"),
            ("count + 1 > 3", 0, nil, "with constants"), ("age == 1 OR 3 < 4", 12, nil, "compares constants"),
        ])
    func unknownCondition(having: String, position: Int, hint: String?, words: String) throws {
        let answer = try DogOwnersFixture.model().get(
            "/v1/aggregates/objects/Person?by=age&average=height&having=\(Wire.encoded(having))")
        #expect(answer.status == 400, "\(answer.text)")
        #expect(answer.member("parameter") == .string("having"), "\(answer.text)")
        #expect(answer.member("position") == .int(Int64(position)), "\(answer.text)")
        #expect(answer.member("hint") == hint.map { .string($0) }, "\(answer.text)")
        #expect(answer.text.contains(words), "\(answer.text)")
    }

    @Test("a condition on groups has the limits of filters, and its arguments are those of the filter")
    func boundedCondition() throws {
        let gateway = try DogOwnersFixture.model {
            $0.filterLimit = 60
            $0.maximumGrouping = 1
        }
        let target = "/v1/aggregates/objects/Person?by=age&filter=handle%20!=%20$1&args=[1,%22dee%22]&having="
        let answer = try gateway.get(target + "count%20==%20$0%20AND%20age%20%3C%2030")
        #expect(answer.text.contains(#""groups":[{"key":{"age":7},"count":1}]"#), "\(answer.text)")
        let long = (0..<9).map { "age == \($0)" }.joined(separator: " OR ")
        #expect(try gateway.get(target + Wire.encoded(long)).member("code") == .string("query.too_long"))
        // The groups that satisfy it are counted, and no others.
        let many = try gateway.get(target + "count%20==%20$0")
        #expect(many.member("code") == .string("aggregate.too_many_groups"), "\(many.text)")
        #expect(many.text.contains("3 groups"), "\(many.text)")
    }

    @Test(
        "an order by what the request does not have is refused with what was meant",
        arguments: [
            ("-avg(height)", "-average(height)", "average(delay) with"), ("averge(height)", "average(height)", "by"),
            ("-agee", "-age", "by"), ("cuont", "count", "by"), ("handle", nil, "does not order"),
            ("-sum(height)", nil, "Give sum=height, too"), ("min(age)", nil, "Give min=age, too"),
            ("-Average(height)", "-average(height)", "by"), ("average(heigth)", "average(height)", "does not ask"),
        ])
    func unknownOrder(order: String, hint: String?, words: String) throws {
        let answer = try DogOwnersFixture.model().get(
            "/v1/aggregates/objects/Person?by=age&average=height&order=\(order)")
        #expect(answer.status == 400 && answer.member("code") == .string("parameter.invalid"), "\(answer.text)")
        #expect(answer.member("parameter") == .string("order"), "\(answer.text)")
        #expect(answer.member("hint") == hint.map { .string($0) }, "\(answer.text)")
        #expect(answer.text.contains(words), "\(answer.text)")
    }

    @Test("a form asks for groups in an order as the query does")
    func orderedByForm() throws {
        let wire = try DogOwnersFixture.embedded()
        let parameters = "by=age&average=height&order=-average(height),-age&limit=1"
        let answer = try wire.send(
            .post, "/v1/query/aggregates/objects/Person", parameters,
            headers: ["Content-Type": "application/x-www-form-urlencoded"])
        #expect(answer.status == 200, "\(answer)")
        #expect(answer.json == (try wire.send(.get, "/v1/aggregates/objects/Person?" + parameters)).json)
        #expect(answer["groups"] == [["key": ["age": 36], "count": 1, "average": ["height": 1.7]]])
    }

    @Test("answers beyond what is allowed are refused, and parts of them are not")
    func bounds() throws {
        let gateway = try DogOwnersFixture.model {
            $0.maximumGrouping = 2
            $0.maximumPage = 2
        }
        #expect(
            try gateway.get("/v1/aggregates/objects/Person?by=age").member("code")
                == .string("aggregate.too_many_groups"))
        #expect(try gateway.get("/v1/aggregates/objects/Person?by=alive").status == 200)
        #expect(try gateway.get("/v1/aggregates/objects/Person?by=age&order=-count&limit=2").status == 200)
        #expect(try gateway.get("/v1/aggregates/objects/Person?by=age&order=-count").status == 400)
        let many = "/v1/sections/objects/Person?by=age&fields=handle"
        #expect(try gateway.get(many).member("code") == .string("sections.too_many"))
        #expect(try gateway.get(many + "&index=0").status == 200)
        let large = "/v1/sections/objects/Person?by=alive"
        #expect(try gateway.get(large).member("code") == .string("sections.too_large"))
        #expect(try gateway.get(large + "&limit=1").status == 200)
        #expect(try gateway.get(large + "&keys").status == 200)
    }

    @Test(
        "what one object holds is read on the spot while it is little, whatever its class has",
        arguments: [
            ("objects/Dog", true), ("objects/Person/ada/dogs", true), ("objects/Person/cy/dogs", false),
            ("objects/Person/bob/pets", false), ("objects/Person/ada/pets", true), ("objects/Person/ada/tags", true),
            ("objects/Person/ada/tags?limit=1", false), ("objects/Person/bob/prices", false),
            ("objects/Person/ada/prices?limit=1", true), ("aggregates/objects/Person/ada/nums?sum", true),
            ("aggregates/objects/Person/cy/nums?sum", false), ("aggregates/objects/Person/dee/dogs", false),
            ("sections/objects/Person/ada/dogs?by=breed", true), ("objects/Dog/4/owners", true),
        ])
    func places(target: String, isLater: Bool) throws {
        let gateway = try DogOwnersFixture.model { $0.inlineObjects = 1 }
        switch gateway.router.respond(to: try Request(.get, "/v1/" + target)) {
        case .now(let response):
            #expect(!isLater)
            #expect(response.status == 200)
        case .later: #expect(isLater)
        case .events: Issue.record("a stream")
        }
    }

    @Test("a query is explained with or without being run")
    func explained() throws {
        let wire = try DogOwnersFixture.embedded()
        let target = "/v1/objects/Person?filter=age%3D%3D7&sort=handle"
        let run = try wire.send(.get, target + "&explain=true")
        #expect(run.status == 200, "\(run)")
        #expect(run["count"] == .int(2))
        #expect(run["nanoseconds"]?.asInt ?? 0 > 0)
        #expect(run["plan"]?["words"]?.asString?.isEmpty == false)
        #expect(run["items"] == nil)
        #expect(run.headers["ETag"] == nil)
        let plan = try wire.send(.get, target + "&explain=plan")
        #expect(plan["count"] == nil)
        #expect(plan["nanoseconds"] == nil)
        #expect(plan["plan"]?["words"]?.asString?.isEmpty == false)
        let aggregates = "/v1/aggregates/objects/Person?by=age&explain=plan"
        #expect(try wire.send(.get, aggregates)["live"] == ["upkeep": "incremental"])
        #expect(try wire.send(.get, aggregates + "&distinct=age")["live"]?["upkeep"] == "recompute")
        #expect(try wire.send(.get, aggregates + "&order=-count&limit=1")["live"] == ["upkeep": "incremental"])
        #expect(try wire.send(.get, target + "&explain=false").items("handle") == [.string("bob"), .string("dee")])
        let held = try wire.send(.get, "/v1/objects/Person/ada/dogs?filter=age%3E3&explain")
        #expect(held["count"] == .int(1), "\(held)")
        for live in [run["live"], plan["live"]] { #expect(live == ["upkeep": "incremental"]) }
        #expect(held["live"]?["upkeep"] == "recompute")
        #expect(held["live"]?["reason"]?.asString?.isEmpty == false)
        // Without a filter it is observed in stored order.
        let whole = try wire.send(.get, "/v1/objects/Person/ada/dogs?explain=plan")
        #expect(whole["live"] == ["upkeep": "incremental"])
    }
}
