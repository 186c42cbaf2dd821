import JSONCoding
import ObjectModel
import StoreTesting
import Testing
import WireProtocol

@Suite("Requests")
struct RequestTests {
    @Test("paths have their segments and parameters percent-encoded")
    func paths() {
        #expect(Endpoint.transactions.path() == "/v1/transactions")
        #expect(Endpoint.subscription.path("a b", "x/y") == "/v1/subscriptions/a%20b/x%2Fy")
        #expect(Endpoint.subscriptionStream.path("s") == "/v1/subscriptions/s/stream")
        #expect(Endpoint.barrier.path("s", "é") == "/v1/subscriptions/s/barriers/%C3%A9")
        #expect(
            Endpoint.objects.path("Dog", query: [("filter", "a == $0"), ("args", "[1]")])
                == "/v1/objects/Dog?filter=a%20%3D%3D%20%240&args=%5B1%5D")
    }

    @Test("the number of a query comes back from its name, and from no other name")
    func names() {
        for number in [1, 7, 41, 1_000_000] {
            #expect(SubscriptionName.queryNumber(in: SubscriptionName.query(number)) == number)
        }
        for name in ["", "n", "n01", "n+1", "n1x", "x1", "$1", "m7"] {
            #expect(SubscriptionName.queryNumber(in: name) == nil, "\(name)")
        }
        #expect(SubscriptionName.id(2) == "$2")
    }

    @Test("the request for a subscription, and the names in the answer for a set")
    func subscription() throws {
        let form = SubscriptionForm(
            className: "Dog", filter: "age > 3", sort: "_id", fields: ["_id", "age"], keyPaths: ["age"], wait: .never)
        #expect(
            String(decoding: form.json.bytes, as: UTF8.self)
                == #"{"class":"Dog","filter":"age > 3","sort":"_id","fields":["_id","age"],"keyPaths":["age"],"waitForSync":"never"}"#
        )
        let set =
            #"{"set":"s","count":2,"state":"complete","subscriptions":[{"id":"$1","name":"n1"},{"id":"$2","name":null}]}"#
        #expect(SubscriptionForm.names(ofSet: try JSONValue.parse(Array(set.utf8))) == ["n1"])
    }

    @Test("tokens of barriers can stand in a path, and their answers read as they are written")
    func barriers() throws {
        for text in ["", ".", "..", "a\n", "\u{7f}", String(repeating: "x", count: 129)] {
            #expect(BarrierToken(text) == nil)
        }
        #expect(BarrierToken(String(repeating: "x", count: 128)) != nil)
        let answer = BarrierAnswer(version: Version(41), streams: 2)
        let json = JSONWriter()
        answer.write(into: json)
        #expect(BarrierAnswer(try JSONValue.parse(json.bytes)) == answer)
        #expect(BarrierAnswer(["version": 1]) == nil)
    }

    @Test("references to what an operation made are found and replaced wherever links stand")
    func references() {
        let value: JSONValue = ["a": [["$ref": "x"], 1], "b": ["c": ["$ref": "y"]], "d": ["$ref": "x", "e": 1]]
        #expect(CreatedReference.names(in: value).map(\.name) == ["x", "y"])
        #expect(CreatedReference.names(in: value).map(\.path) == ["$.a[0]", "$.b.c"])
        let resolved = CreatedReference.resolved(value) { .string("made " + $0) }
        #expect(resolved == ["a": ["made x", 1], "b": ["c": "made y"], "d": ["$ref": "x", "e": 1]])
    }
}
