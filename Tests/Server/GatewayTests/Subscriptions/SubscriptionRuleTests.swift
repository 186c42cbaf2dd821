import Dispatch
import Gateway
import HTTPMessages
import HTTPServer
import JSONCoding
import Promises
import RequestHandling
import Testing

@Suite("Named subscriptions: the rules")
struct SubscriptionRuleTests {
    @Test("a name is made, stays as it is for the same query, and changes with another")
    func named() throws {
        let home = try SubscriptionFixture()
        let made = try home.put("s/old", #"{"class":"Dog","filter":"age > 10"}"#)
        #expect(made.status == 201)
        #expect(made["name"] == "old")
        #expect(made["class"] == "Dog")
        #expect(made["filter"] == "age > 10")
        #expect(made["state"] == "complete")
        home.clock.pass(5)
        let same = try home.put("s/old", #"{"class":"Dog","filter":"age>10"}"#)
        #expect(same.status == 200)
        #expect(same["updatedAt"] == made["updatedAt"])
        #expect(same["filter"] == "age > 10")
        let other = try home.put("s/old", #"{"class":"Dog","filter":"age > 11"}"#)
        #expect(other.status == 200)
        #expect(other["id"] == made["id"])
        #expect(other["createdAt"] == made["createdAt"])
        #expect(other["updatedAt"] != made["updatedAt"])
        #expect(try home.get("s/old")["filter"] == "age > 11")
        #expect(try home.get("s")["count"] == 1)
    }

    @Test("a name cannot change its class")
    func otherClass() throws {
        let home = try SubscriptionFixture()
        try home.put("s/a", #"{"class":"Dog"}"#)
        let refused = try home.put("s/a", #"{"class":"Person"}"#)
        #expect(refused.status == 409)
        #expect(refused.code == "subscription.other_class")
        #expect(try home.get("s/a")["class"] == "Dog")
    }

    @Test("an unnamed query is there once, and a named one with the same query is another subscription")
    func unnamed() throws {
        let home = try SubscriptionFixture()
        let named = try home.put("s/all", #"{"class":"Dog"}"#)
        let first = try home.post("s", #"{"class":"Dog"}"#)
        #expect(first.status == 201)
        #expect(first["name"] == .null)
        #expect(first["id"] != named["id"])
        let again = try home.post("s", #"{"class":"Dog","filter":"TRUEPREDICATE"}"#)
        #expect(again.status == 200)
        #expect(again["id"] == first["id"])
        #expect(try home.put("s/two", #"{"class":"Dog"}"#).status == 201)
        #expect(try home.labels("s") == ["all", "$2", "two"])
        #expect(try home.get("s/$2")["id"] == "$2")
    }

    @Test("what is not about the query makes another subscription, too, for it changes what is sent")
    func parameters() throws {
        let home = try SubscriptionFixture()
        for body in [
            #"{"class":"Dog"}"#, #"{"class":"Dog","fields":"name"}"#, #"{"class":"Dog","fields":["name","age"]}"#,
            #"{"class":"Dog","sort":"-age","limit":1}"#, #"{"class":"Dog","filter":"age > $0","args":[3]}"#,
            #"{"class":"Dog","include":"indices","keyPaths":["name"],"expand":"owner","distinct":"breed"}"#,
        ] {
            let made = try home.post("s", body)
            #expect(made.status == 201, "\(made)")
            let again = try home.post("s", body)
            #expect(again["id"] == made["id"])
            for member in try JSONValue.parse(body).memberNames { #expect(again[member] != nil) }
        }
        #expect(try home.get("s")["count"] == 6)
    }

    @Test("by its query only the unnamed subscription is removed")
    func removedByQuery() throws {
        let home = try SubscriptionFixture()
        try home.put("s/named", #"{"class":"Dog","filter":"age > 3"}"#)
        try home.post("s", #"{"class":"Dog","filter":"age > 3"}"#)
        try home.post("s", #"{"class":"Dog","filter":"age > 4"}"#)
        #expect(try home.delete("s?class=Dog&filter=age%20%3E%203")["removed"] == 1)
        #expect(try home.labels("s") == ["named", "$3"])
        #expect(try home.delete("s?class=Dog&filter=age%20%3E%203")["removed"] == 0)
        #expect(try home.delete("s?filter=age%20%3E%203").status == 400)
    }

    @Test("subscriptions are removed by name, by class, the unnamed alone, and all")
    func removed() throws {
        let home = try SubscriptionFixture()
        func fill() throws {
            try home.put("s/a", #"{"class":"Dog"}"#)
            try home.put("s/b", #"{"class":"Person"}"#)
            try home.post("s", #"{"class":"Dog"}"#)
            try home.post("s", #"{"class":"Person"}"#)
        }
        try fill()
        #expect(try home.delete("s/a").status == 204)
        #expect(try home.delete("s/a").status == 404)
        #expect(try home.delete("s?class=Person")["removed"] == 2)
        #expect(try home.labels("s") == ["$3"])
        try fill()
        #expect(try home.delete("s?unnamedOnly=true&class=Dog")["removed"] == 1)
        #expect(try home.delete("s?unnamedOnly=true")["removed"] == 1)
        #expect(try home.labels("s") == ["a", "b"])
        #expect(try home.delete("s")["removed"] == 2)
        #expect(try home.get("s")["count"] == 0)
    }

    @Test(
        "what is wrong with a subscription is said, and it is not made",
        arguments: [
            (#"{"filter":"age > 3"}"#, 400, "subscription.invalid"), (#"[]"#, 400, "subscription.invalid"),
            (#"{"class":"Dgo"}"#, 404, "object.unknown_class"),
            (#"{"class":"Dog","filter":"agee > 3"}"#, 400, "query.unknown_property"),
            (#"{"class":"Dog","filter":3}"#, 400, "subscription.invalid"),
            (#"{"class":"Dog","limit":-1}"#, 400, "parameter.invalid"),
            (#"{"class":"Dog","limit":"1"}"#, 400, "subscription.invalid"),
            (#"{"class":"Dog","limit":1.5}"#, 400, "subscription.invalid"),
            (#"{"class":"Dog","fields":"nme"}"#, 400, "query.unknown_property"),
            (#"{"class":"Dog","sort":[1]}"#, 400, "subscription.invalid"),
            (#"{"class":"Dog","fields":[]}"#, 400, "subscription.invalid"),
            (#"{"class":"Dog","name":"a"}"#, 400, "subscription.invalid"),
            (#"{"class":"Dog","filtre":"age > 3"}"#, 400, "subscription.invalid"),
            (#"{"class":"Dog","waitForSync":"often"}"#, 400, "subscription.invalid"),
            (#"{"class":"Dog","timeout":-1}"#, 400, "subscription.invalid"),
            (#"{"class":"Dog","timeout":"1"}"#, 400, "subscription.invalid"),
        ])
    func refused(body: String, status: Int, code: String) throws {
        let home = try SubscriptionFixture()
        let answer = try home.put("s/a", body)
        #expect(answer.status == status, "\(answer)")
        #expect(answer.code == code, "\(answer)")
        #expect(try home.get("s").status == 404)
    }

    @Test("an empty array of key paths or sort keys is none")
    func emptyArrays() throws {
        let home = try SubscriptionFixture()
        let plain = try home.put("s/a", #"{"class":"Dog"}"#)
        let same = try home.put("s/a", #"{"class":"Dog","keyPaths":[],"sort":[],"expand":[]}"#)
        #expect(same.status == 200)
        #expect(same["updatedAt"] == plain["updatedAt"])
    }

    @Test("names and numbers have bounds")
    func bounds() throws {
        let home = try SubscriptionFixture {
            $0.maximumSubscriptionSets = 2
            $0.maximumSubscriptionSet = 2
        }
        for name in ["$1", "%01", "..", String(repeating: "x", count: 129)] {
            #expect(try home.put("s/\(name)", #"{"class":"Dog"}"#).code == "subscription.invalid_name")
            #expect(try home.post(name, #"{"class":"Dog"}"#).code == "subscription.invalid_name")
        }
        for set in ["s", "t"] { #expect(try home.post(set, #"{"class":"Dog"}"#).status == 201) }
        let many = try home.post("u", #"{"class":"Dog"}"#)
        #expect(many.status == 429)
        #expect(many.code == "subscription.too_many_sets")
        #expect(try home.put("s/a", #"{"class":"Dog"}"#).status == 201)
        #expect(try home.put("s/b", #"{"class":"Dog"}"#).code == "subscription.too_many")
        #expect(try home.put("s/a", #"{"class":"Dog","limit":3.0}"#).status == 200)
    }

    @Test("a set without a stream is forgotten when nobody asks for it")
    func expiry() throws {
        let home = try SubscriptionFixture { $0.subscriptionSetLifetime = 100 }
        for set in ["asked", "left", "streamed"] { try home.post(set, #"{"class":"Dog"}"#) }
        let stream = try home.stream("streamed")
        home.clock.pass(60)
        #expect(try home.get("asked").status == 200)
        home.clock.pass(60)
        home.gateway.expireSubscriptions()
        #expect(try home.get("asked").status == 200)
        #expect(try home.get("left").code == "subscription.unknown_set")
        home.clock.pass(101)
        home.gateway.expireSubscriptions()
        stream.stream.didClose(.clientLeft)
        home.clock.pass(100)
        home.gateway.expireSubscriptions()
        #expect(try home.get("streamed").status == 200)
        home.clock.pass(101)
        home.gateway.expireSubscriptions()
        #expect(try home.get("streamed/stream").code == "subscription.unknown_set")
    }

    @Test("never answers at once, onCreation when the result is known, always when what was committed is sent")
    func waiting() throws {
        let home = try SubscriptionFixture()
        let held = try home.holdResults()
        let never = try home.post("s", #"{"class":"Dog","waitForSync":"never"}"#)
        #expect(never.status == 201)
        #expect(never["state"] == "pending")
        #expect(try home.get("s")["state"] == "pending")
        let late = try home.put("s/a", #"{"class":"Person","timeout":0.01}"#)
        #expect(late.status == 504)
        #expect(late.code == "subscription.timeout")
        #expect(try home.post("s", #"{"class":"Dog","waitForSync":"always","timeout":0.01}"#).status == 504)
        let replaced = Promise<WireResponse>()
        DispatchQueue.global().async {
            if let answer = try? home.put("s/b", #"{"class":"Dog","filter":"age > 1"}"#) { replaced.set(answer) }
        }
        while try home.get("s/b").status != 200 {}
        #expect(try home.put("s/b", #"{"class":"Dog","filter":"age > 2","waitForSync":"never"}"#)["state"] == "pending")
        held.signal()
        #expect(try replaced.take()["state"] == "superseded")
        #expect(try home.post("s", #"{"class":"Dog","waitForSync":"always"}"#)["state"] == "complete")
        home.gateway.settle()
        #expect(try home.get("s")["state"] == "complete")
    }
}
