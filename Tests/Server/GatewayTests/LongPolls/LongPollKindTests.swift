import Gateway
import HTTPMessages
import HTTPServer
import JSONCoding
import Testing

/// Every kind of read waits for its own changes, and for no others.
@Suite("Reads that wait for a change")
struct LongPollKindTests {
    struct Change: Sendable {
        let method: HTTPMethod
        let path: String
        let body: String?

        init(_ path: String, _ body: String? = nil, _ method: HTTPMethod = .patch) {
            (self.method, self.path, self.body) = (method, path, body)
        }
    }

    struct Kind: Sendable, CustomTestStringConvertible {
        let target: String
        /// Each changes the answer.
        let own: [Change]
        /// None of these does.
        let others: [Change]

        init(_ target: String, own: [Change], others: [Change]) {
            (self.target, self.own, self.others) = ("/v1/\(target)", own, others)
        }

        var testDescription: String { target }
    }

    private static let names = [Change("Dog/1", #"{"name":"Max"}"#), Change("Dog/2", #"{"name":"Max"}"#)]
    private static let ages = [Change("Dog/1", #"{"age":8}"#), Change("Dog/1", #"{"age":20}"#)]
    private static let bob = Change("Person/bob", #"{"city":"Rome","tags":["d"],"dogs":[4]}"#)

    static let kinds = [
        Kind(
            "objects/Dog?filter=age%20%3E%206&sort=age&fields=id,age",
            own: ages + [
                Change("Dog/2", nil, .delete), Change("Dog", #"{"id":9,"age":8}"#, .post),
                Change("Dog/5", #"{"age":10}"#), Change("Dog/4", #"{"age":1}"#),
            ], others: names + [bob, Change("Dog/5", #"{"age":4}"#), Change("Dog", #"{"id":10,"age":1}"#, .post)]),
        Kind(
            "objects/Dog?sort=id&offset=1&limit=2",
            own: [
                Change("Dog/2", #"{"weight":1}"#), Change("Dog/3", nil, .delete), Change("Dog/1", nil, .delete),
                Change("Dog", #"{"id":-1}"#, .post),
            ],
            others: [
                Change("Dog/1", #"{"weight":1}"#), Change("Dog/4", #"{"weight":1}"#), Change("Dog/6", nil, .delete),
                Change("Dog", #"{"id":12}"#, .post), bob,
            ]),
        // The cursor is there until there is no object after the page.
        Kind(
            "objects/Dog?sort=id&offset=4&limit=1", own: [Change("Dog/6", nil, .delete)],
            others: [Change("Dog/6", #"{"age":5}"#), Change("Dog/4", #"{"age":5}"#)]),
        Kind("objects/Dog?sort=id&limit=0", own: [], others: ages + names),
        Kind(
            "objects/Dog?sort=id&limit=1&count=true",
            own: [
                Change("Dog", #"{"id":12}"#, .post), Change("Dog/6", nil, .delete), Change("Dog/1", #"{"age":1}"#),
            ],
            others: [Change("Dog/5", #"{"age":4}"#), bob]),
        Kind("objects/Dog/1", own: ages + [Change("Dog/1", #"{"owner":"bob"}"#)], others: [bob] + [names[1]]),
        Kind("objects/Dog/1?fields=id,age", own: ages, others: [names[0], bob]),
        Kind(
            "objects/Dog/1?expand=owner", own: [Change("Person/ada", #"{"city":"Rome"}"#), names[0]], others: [bob]),
        Kind("objects/Dog/1/age", own: ages, others: names + [bob]),
        Kind(
            "objects/Dog/1/owner",
            own: [Change("Person/ada", #"{"city":"Rome"}"#), Change("Dog/1", #"{"owner":"bob"}"#)],
            others: [bob, names[0]]),
        Kind(
            "objects/Dog/1/owner/city",
            own: [Change("Person/ada", #"{"city":"Rome"}"#), Change("Dog/1", #"{"owner":"bob"}"#)],
            others: [Change("Person/ada", #"{"tags":[]}"#), Change("Dog/1", #"{"age":3}"#)]),
        Kind(
            "objects/Person/ada/dogs?fields=id,name",
            own: names + [Change("Person/ada", #"{"dogs":[1,2]}"#), Change("Person/ada", #"{"dogs":[1,2,3]}"#)],
            others: ages + [Change("Dog/3", #"{"name":"Max"}"#), bob]),
        Kind(
            "objects/Person/ada/dogs/0/age",
            own: [Change("Dog/2", #"{"age":1}"#), Change("Person/ada", #"{"dogs":[1]}"#)],
            others: [bob, Change("Dog/3", #"{"age":1}"#)]),
        Kind(
            "objects/Person/ada/tags",
            own: [Change("Person/ada", #"{"tags":["b"]}"#), Change("Person/ada", #"{"tags":["a","b"]}"#)],
            others: [bob, Change("Person/ada", #"{"city":"Rome"}"#)]),
        Kind(
            "objects/Person/ada/tags?filter=SELF%20==%20'b'", own: [Change("Person/ada", #"{"tags":["b","b"]}"#)],
            others: [bob, Change("Person/ada", #"{"tags":["b","c"]}"#)]),
        Kind(
            "objects/Person/ada/tags/1", own: [Change("Person/ada", #"{"tags":["b","z"]}"#)],
            others: [bob, Change("Person/ada", #"{"tags":["x","a"]}"#)]),
        Kind(
            "objects/Person/ada/prices", own: [Change("Person/ada", #"{"prices":{"x":2}}"#)],
            others: [bob, Change("Person/ada", #"{"tags":["x"]}"#)]),
        Kind(
            "aggregates/objects/Dog?sum=age&max=weight",
            own: ages + [Change("Dog", #"{"id":12}"#, .post), Change("Dog/2", #"{"weight":99}"#)],
            others: names + [bob, Change("Dog/5", #"{"weight":1}"#)]),
        Kind(
            "aggregates/objects/Dog?by=owner.city&sum=age",
            own: [ages[0], Change("Person/ada", #"{"city":"Rome"}"#), Change("Dog/2", #"{"owner":"ada"}"#)],
            others: names + [Change("Person/ada", #"{"tags":[]}"#)]),
        Kind(
            "aggregates/objects/Dog?by=age&max=weight&order=-max(weight)&limit=1",
            own: [Change("Dog/1", #"{"weight":50}"#), Change("Dog/6", nil, .delete)],
            others: [Change("Dog/6", #"{"weight":3}"#)] + names),
        Kind(
            "aggregates/objects/Dog?by=age&max=weight&having=max(weight)%20%3E%2045",
            own: [Change("Dog/1", #"{"weight":50}"#), Change("Dog/2", #"{"weight":99}"#)],
            others: [Change("Dog/6", #"{"weight":3}"#)] + names),
        Kind(
            "aggregates/objects/Dog?by=age&bins=2",
            own: [Change("Dog/6", #"{"age":15}"#), Change("Dog", #"{"id":12,"age":3}"#, .post)],
            others: names + [Change("Dog/1", #"{"weight":5}"#), Change("Dog/1", #"{"age":6}"#)]),
        Kind(
            "aggregates/objects/Person/ada/dogs?sum=age", own: [ages[0], Change("Person/ada", #"{"dogs":[1]}"#)],
            others: names + [Change("Dog/3", #"{"age":1}"#)]),
        Kind(
            "aggregates/objects/Person/ada/prices?sum=", own: [Change("Person/ada", #"{"prices":{"x":1,"y":2}}"#)],
            others: [bob]),
        Kind(
            "sections/objects/Dog?by=name.first&fields=id,name",
            own: names + [Change("Dog/3", nil, .delete)], others: ages + [bob]),
        Kind(
            "sections/objects/Dog?by=name.first&keys=true", own: names,
            others: ages + [Change("Dog/1", #"{"name":"Robo"}"#)]),
        Kind(
            "sections/objects/Dog?by=name.first&index=0", own: [Change("Dog/3", #"{"age":1}"#)],
            others: [ages[0], names[0], bob]),
        Kind("sections/objects/Person/ada/tags?by=self", own: [Change("Person/ada", #"{"tags":[]}"#)], others: [bob]),
        Kind(
            "index/objects/Dog?of=1&sort=age", own: [ages[1], Change("Dog/5", nil, .delete)],
            others: names + [Change("Dog/1", #"{"age":6}"#), bob]),
        Kind(
            "index/objects/Dog?sort=id&matching=age%20%3E%2012",
            own: [Change("Dog/1", #"{"age":13}"#), Change("Dog/2", nil, .delete), Change("Dog/4", #"{"age":1}"#)],
            others: names + [Change("Dog/5", #"{"age":40}"#)]),
        Kind("index/objects/Person/ada/tags?of=a", own: [Change("Person/ada", #"{"tags":["a"]}"#)], others: [bob]),
        Kind(
            "values/objects/Dog?key=age", own: ages + [Change("Dog", #"{"id":12}"#, .post)], others: names + [bob]),
        Kind(
            "values/objects/Dog?keyPath=owner.city",
            own: [Change("Person/ada", #"{"city":"Rome"}"#), Change("Dog/2", #"{"owner":"ada"}"#)],
            others: ages + [Change("Person/ada", #"{"tags":[]}"#)]),
        Kind(
            "values/objects/Dog?keyPath=@max.age", own: [ages[1], Change("Dog/4", nil, .delete)],
            others: names + [Change("Dog/5", #"{"age":4}"#)]),
        Kind(
            "values/objects/Dog?keyPath=@distinctUnionOfObjects.owner.city",
            own: [Change("Person/ada", #"{"city":"Rome"}"#)],
            others: ages + [Change("Dog/2", #"{"owner":"ada"}"#)]),
        Kind(
            "values/objects/Dog?keyPath=@count", own: [Change("Dog", #"{"id":12}"#, .post)], others: names + ages),
        Kind("values/objects/Person/ada/tags?key=self", own: [Change("Person/ada", #"{"tags":[]}"#)], others: [bob]),
    ]

    @Test("an answer waits for what changes it, and for nothing else", arguments: kinds)
    func waits(_ kind: Kind) throws {
        for index in 0..<max(kind.own.count, 1) {
            let gateway = try PollingGateway()
            let before = try gateway.get(kind.target)
            try #require(before.status == 200, "\(before)")
            let known = try #require(before.mark)
            // Nothing has changed.
            #expect(try gateway.hold(kind.target, since: known, wait: nil).response().status == 204)
            let held = try gateway.hold(kind.target, since: known)
            #expect(gateway.waiting(1))
            for other in kind.others.prefix(index == 0 ? kind.others.count : 1) {
                try gateway.write(other.method, other.path, other.body)
            }
            let same = try gateway.get(kind.target)
            try #require(same.status == 200 && same.isLike(before), "The test's changes change the answer.")
            gateway.pass(seconds: 30)
            let quiet = try held.response()
            #expect(quiet.status == 204 && quiet.body.isEmpty, "\(quiet)")
            #expect(quiet.mark == (try gateway.mark()))
            guard index < kind.own.count else { continue }
            let own = kind.own[index]
            // From there on.
            let next = try gateway.hold(kind.target, since: quiet.mark)
            #expect(gateway.waiting(1))
            try gateway.write(own.method, own.path, own.body)
            let now = try gateway.get(kind.target)
            try #require(!now.isLike(before), "The test's change does not change the answer: \(own)")
            let answer = try next.response()
            #expect(answer.status == 200 && answer.body == now.body && answer.mark == now.mark, "\(answer)")
            // Who asks later is answered at once.
            for mark in [known, quiet.mark] {
                let late = try gateway.hold(kind.target, since: mark).response()
                #expect(late.status == 200 && late.body == now.body)
            }
            #expect(gateway.waiting(0))
        }
    }

    @Test("a page after a cursor waits for what changes it")
    func cursor() throws {
        let gateway = try PollingGateway()
        let first = try gateway.get("/v1/objects/Dog?sort=id&limit=2")
        let target = "/v1/objects/Dog?sort=id&limit=2&after=" + Wire.encoded(try #require(first["next"]?.asString))
        let page = try gateway.get(target)
        let held = try gateway.hold(target, since: page.mark)
        #expect(gateway.waiting(1))
        try gateway.write(.patch, "Dog/1", #"{"age":1}"#)
        try gateway.write(.patch, "Dog/5", #"{"age":1}"#)
        #expect(gateway.site.gateway.longPollCount == 1)
        try gateway.write(.patch, "Dog/3", #"{"age":1}"#)
        let answer = try held.response()
        #expect(try answer.status == 200 && answer.isLike(gateway.get(target)))
        #expect(!answer.isLike(page))
    }
}

extension WireResponse {
    /// Whether another answer shows the same, at whatever version.
    func isLike(_ other: WireResponse) -> Bool {
        func content(_ answer: WireResponse) -> String {
            // Problems name their request.
            if answer.status >= 400 { return "\(answer.status) \(answer.code ?? "")" }
            let hasNext = answer["next"] != nil
            let json = answer.json?.setting("version", nil).setting("next", hasNext ? "" : nil)
            return "\(answer.status) \(json?.canonical ?? .null)"
        }
        return content(self) == content(other)
    }
}
