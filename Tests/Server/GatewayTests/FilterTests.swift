import Gateway
import HTTPMessages
import HTTPServer
import HTTPTesting
import JSONCoding
import RequestHandling
import Testing

/// A filter, its arguments, and the people whom it matches.
struct Found: Sendable, CustomTestStringConvertible {
    let filter: String
    let args: String
    let handles: String

    init(_ filter: String, _ handles: String, args: String = "[]") {
        self.filter = filter
        self.args = args
        self.handles = handles
    }

    var testDescription: String { args == "[]" ? filter : "\(filter) with \(args)" }
}

@Suite("The query language over HTTP")
struct FilterTests {
    static let found = [
        // Arguments of every type.
        Found("age == $0", "bob dee", args: "[7]"),
        Found("age == $0", "cy", args: "[null]"),
        Found("height == $0", "ada dee", args: "[1.7]"),
        Found("alive == $0", "cy", args: "[false]"),
        Found("handle IN $0", "ada cy", args: #"[["ada","cy","zoe"]]"#),
        Found("age BETWEEN $0", "bob dee", args: "[[5, 10]]"),
        Found("worth == $0", "ada", args: #"[{"$decimal":"10.1"}]"#),
        Found("worth < $0", "bob", args: "[0]"),
        Found("born > $0", "cy", args: #"[{"$date":"2000-01-01T00:00:00Z"}]"#),
        Found("photo == $0", "ada", args: #"[{"$binary":"AAEC"}]"#),
        Found("photo BEGINSWITH $0", "ada", args: #"[{"$binary":"AAE="}]"#),
        Found("dog == $0", "bob", args: #"[{"$link":{"class":"Dog","key":2}}]"#),
        Found("ANY dogs == $0", "ada bob", args: #"[{"$link":{"class":"Dog","key":2}}]"#),
        Found("dog == $0", "", args: #"[{"$link":{"class":"Dog","key":99}}]"#),
        Found(
            "ANY dogs IN $0", "ada", args: #"[[{"$link":{"class":"Dog","key":1}},{"$link":{"class":"Dog","key":99}}]]"#),
        Found("extra == $0", "bob dee", args: "[3]"),
        Found("extra IN $0", "bob cy dee", args: #"[["x", 3]]"#),
        Found("prices[$0] > $1", "ada", args: #"["ash", 2]"#),
        Found("$K0 == $1", "ada", args: #"["dog.name","Rex"]"#),
        Found("tags == $0", "ada", args: #"[["red","blue"]]"#),
        Found("place GEOWITHIN $0", "ada", args: #"[{"$geoCircle":{"center":[-123,48],"radius":0.02}}]"#),
        Found("place GEOWITHIN $0", "bob", args: #"[{"$geoBox":[[2,48],[3,49]]}]"#),
        Found(
            "place GEOWITHIN $0", "bob", args: #"[{"$geoPolygon":[[[2,48],[3,48],[3,49,10],[2,49],[2,48]]]}]"#),
        // A case of each form.
        Found("dogs.age > 3", "ada bob"), Found("ALL dogs.age > 3", "bob cy dee"),
        Found("NONE dogs.name == 'Rex' AND dogs.@count > 0", "bob"),
        Found("dogs.@avg.age >= 6", "bob"), Found("nums.@sum == 8", "ada"), Found("nums.@max == null", "bob cy dee"),
        Found("SUBQUERY(dogs, $d, $d.age > 3 AND $d.breed == 'Beagle').@count == 1", "bob"),
        Found("SUBQUERY(dogs, $d, $d.owners.@count > 1).@count > 0", "ada bob"),
        Found("dogs[0].name == 'Rex'", "ada"), Found("dogs[LAST].name == 'Fido'", "bob"),
        Found("tags.@count == 1", "bob"), Found("ANY tags.length > 3", "ada"), Found("'blue' IN tags", "ada"),
        Found("prices.ash > 2", "ada"), Found("prices.@keys == 'oak'", "ada"), Found("pets.rex.age == 3", "ada"),
        Found("extra.a[0] == 1", "ada"), Found("extra.@type == 'numeric'", "bob dee"),
        Found("age * 2 + 1 == 15", "bob dee"), Found("age > dogs.@count", "ada bob dee"),
        Found("bio TEXT 'swim -jump climb*'", "ada"), Found("ANY friends.handle == 'bob'", "dee"),
        Found("@links.Person.friends.handle == 'dee'", "ada bob"), Found("friends.@count > 1", "dee"),
        Found("dog == obj('Dog', 4)", "dee"), Found("worth == 10.1", "ada"), Found("marks > 2", "ada"),
        Found("handle LIKE '?o?'", "bob"), Found("TRUEPREDICATE SORT(dog.name DESC) LIMIT(2)", "cy dee"),
        Found("TRUEPREDICATE SORT(prices['ash'] DESC, handle DESC) LIMIT(2)", "ada bob"),
    ]

    @Test("a filter finds the same people in both stores", arguments: found)
    func finds(found: Found) throws {
        let target = Wire.target(
            "/v1/objects/Person", ["filter": found.filter, "args": found.args, "fields": "handle", "count": "true"])
        let expected = found.handles.split(separator: " ").map { JSONValue.string(String($0)) }
        let model = WireResponse(try DogOwnersFixture.model().get(target))
        #expect(model.items("handle") == expected, "\(model)")
        let embedded = try DogOwnersFixture.embedded().send(.get, target)
        #expect(embedded.items("handle") == expected, "\(embedded)")
        #expect(embedded["count"] == .int(Int64(expected.count)))
    }

    static let sorts = [
        ("worth", "cy dee bob ada"), ("-worth,handle", "ada bob cy dee"), ("extra", "bob dee cy ada"),
        ("prices['ash']", "cy dee bob ada"), ("-tags[0],handle", "ada bob cy dee"), ("photo,-handle", "dee cy bob ada"),
        ("dog.name,handle", "bob ada dee cy"), ("born", "dee bob ada cy"), ("-alive,-age", "ada bob dee cy"),
        ("nums[1],handle", "ada bob cy dee"), ("extra.a[0],handle", "bob cy dee ada"),
    ]

    @Test("pages joined by cursors are the whole, by values of every type", arguments: sorts)
    func cursors(sort: String, handles: String) throws {
        let wire = try DogOwnersFixture.embedded()
        let model = try DogOwnersFixture.model()
        for limit in 1...3 {
            var paged: [JSONValue?] = []
            var (next, nextOfModel): (String?, String?)
            repeat {
                var target = Wire.target(
                    "/v1/objects/Person", ["sort": sort, "limit": "\(limit)", "fields": "handle"])
                var targetOfModel = target
                if let next { target += "&after=\(next)" }
                if let nextOfModel { targetOfModel += "&after=\(nextOfModel)" }
                let page = try wire.send(.get, target)
                #expect(page.status == 200, "\(page)")
                // A cursor means the same in both stores, except for the history.
                let pageOfModel = WireResponse(try model.get(targetOfModel))
                #expect(Unmarked.text(pageOfModel.text) == Unmarked.text(page.text))
                nextOfModel = pageOfModel["next"]?.asString
                paged += page.items("handle")
                next = page["next"]?.asString
            } while next != nil && paged.count < 10
            #expect(paged == handles.split(separator: " ").map { .string(String($0)) }, "by \(limit)")
        }
    }

    /// A filter that is refused: its code, the place in bytes, how many are at fault, the hint, and whether it is
    /// said what could stand there.
    struct Fault: Sendable, CustomTestStringConvertible {
        let filter: String
        let code: String
        let position: Int
        let length: Int
        var hint: String?
        var expects = false

        var testDescription: String { filter }
    }

    static let faults = [
        Fault(filter: "age >", code: "query.syntax", position: 5, length: 0),
        Fault(filter: "age = 1 =", code: "query.syntax", position: 8, length: 1, hint: "AND", expects: true),
        Fault(filter: "'é' == agee", code: "query.unknown_property", position: 8, length: 4, hint: "age"),
        Fault(filter: "dogs.nam == 'x'", code: "query.unknown_property", position: 5, length: 3, hint: "name"),
        Fault(filter: "age > 'x'", code: "query.type_mismatch", position: 6, length: 3),
        Fault(filter: "alive AND", code: "query.syntax", position: 6, length: 3, hint: "alive == true", expects: true),
    ]

    @Test("a fault says where it is, and what would do", arguments: faults)
    func faultPlaces(fault: Fault) throws {
        let answer = WireResponse(
            try DogOwnersFixture.model().get(Wire.target("/v1/objects/Person", ["filter": fault.filter])))
        #expect(answer.status == 400)
        #expect(answer.code == fault.code, "\(answer)")
        #expect(answer["parameter"] == "filter")
        #expect(answer["position"] == .int(Int64(fault.position)), "\(answer)")
        #expect(answer["length"] == .int(Int64(fault.length)), "\(answer)")
        #expect(answer["hint"]?.asString == fault.hint, "\(answer)")
        #expect((answer["expected"]?.asArray ?? []).isEmpty != fault.expects, "\(answer)")
    }

    static let badArguments = [
        ("age == $0", "[]"), ("age == $0", "{}"), ("age == $0", #"["x"]"#), ("age == $0", #"[{"a":1}]"#),
        ("age IN $0", "[[[1]]]"), ("age IN $0", "[1]"), ("age == $0", #"[{"$date":"yesterday"}]"#),
        ("dog == $0", #"[{"$link":{"class":"Dgo","key":1}}]"#),
        ("dog == $0", #"[{"$link":{"class":"Dog","key":"x"}}]"#),
        ("dog == $0", #"[{"$link":{"class":"Person","key":"ada"}}]"#), ("$K0 == 1", "[1]"), ("$K0 == 1", #"["agee"]"#),
        ("place GEOWITHIN $0", "[1]"), ("place GEOWITHIN $0", #"[{"$geoCircle":{"center":[1],"radius":1}}]"#),
        ("place GEOWITHIN $0", #"[{"$geoCircle":{"center":[1,2]}}]"#),
        ("place GEOWITHIN $0", #"[{"$geoCircle":{"center":[181,2],"radius":1}}]"#),
        ("place GEOWITHIN $0", #"[{"$geoCircle":{"center":[1,2],"radius":-1}}]"#),
        ("place GEOWITHIN $0", #"[{"$geoBox":[[1,2]]}]"#), ("place GEOWITHIN $0", #"[{"$geoPolygon":[]}]"#),
        ("place GEOWITHIN $0", #"[{"$geoPolygon":[[[0,0],[1,0],[1,1]]]}]"#),
        ("place GEOWITHIN $0", #"[{"$geoPolygon":[7]}]"#), ("age == $0", #"[{"$geoBox":[[1,2],[3,4]]}]"#),
        ("dog.age GEOWITHIN $0", #"[{"$geoBox":[[1,2],[3,4]]}]"#),
    ]

    @Test("arguments that do not fit are refused with the argument's number or place", arguments: badArguments)
    func refusedArguments(filter: String, args: String) throws {
        let answer = WireResponse(
            try DogOwnersFixture.model().get(Wire.target("/v1/objects/Person", ["filter": filter, "args": args])))
        #expect(answer.status == 400, "\(answer)")
        #expect(answer["parameter"] == "args" || answer["position"] != nil, "\(answer)")
        #expect(answer["detail"]?.asString?.isEmpty == false)
    }

    @Test("a text that is too long, too deep or full of arguments is refused in no time")
    func bounds() throws {
        let gateway = try DogOwnersFixture.model {
            $0.filterLimit = 4096
            $0.argumentLimit = 100
        }
        func code(_ filter: String, _ args: String = "[]") throws -> String? {
            WireResponse(try gateway.get(Wire.target("/v1/objects/Person", ["filter": filter, "args": args]))).code
        }
        #expect(try code(String(repeating: "(", count: 300) + "age > 1") == "query.too_deep")
        #expect(try code(String(repeating: "NOT ", count: 300) + "age > 1") == "query.too_deep")
        #expect(try code("age > 1" + String(repeating: " OR age > 1", count: 1000)) == "query.too_long")
        #expect(try code("age > 1" + String(repeating: " OR age > 1", count: 300)) == nil)
        let list = (0..<101).map(String.init).joined(separator: ",")
        #expect(try code("age IN $0", "[[\(list)]]") == "parameter.invalid")
        let ring = (0..<60).map { "[\($0),0]" }.joined(separator: ",")
        #expect(try code("place GEOWITHIN $0", #"[{"$geoPolygon":[[\#(ring)]]}]"#) == "parameter.invalid")
    }
}
