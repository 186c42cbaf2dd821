import Foundation
import HTTPMessages
import HTTPServer
import JSONCoding
import RealmSwift
import RequestHandling
import TestBasics
import Testing

/// Subscriptions that match the same objects, where long events of one come after later ones of another.
///
/// The invariant: a realm has exactly the objects that one of its subscriptions matches, as they are at the gateway.
/// The oracle is a read there.
@Suite("Subscriptions that overlap")
struct OverlapTests {
    @Test(
        "a realm has what any of its subscriptions matches, whatever changes while they begin and end",
        arguments: 0..<3 * TestRun.length)
    func overlapping(round: Int) async throws {
        var random = SeededRandom.ofTest(round)
        let seed = random.seed
        // Long events take long, so that later ones overtake them.
        let server = try TestServer { $0.eventBytes = [2_000, 20_000, 4 << 20][round % 3] }
        func dogs(_ ids: Range<Int>) -> String {
            let rows = ids.map {
                #"{"_id":\#($0),"name":"n\#(random.below(1_000))","age":\#(random.below(6)),"owner":"ada"}"#
            }
            return "[" + rows.joined(separator: ",") + "]"
        }
        try server.send(.post, "/v1/objects/SubOwner", #"[{"handle":"ada","city":"Turin"}]"#)
        try server.send(.post, "/v1/objects/SubDog", dogs(0..<600))
        let client = SyncedRealm(server)
        var formats: [String: String] = [:]
        for step in 0..<16 {
            switch random.below(step < 2 ? 1 : 6) {
            case 0, 1:
                let start = random.below(200)
                let format = [
                    "TRUEPREDICATE", "_id >= \(start) AND _id < \(start + 400)", "age != \(random.below(6))",
                    "age IN {0, 1, 2, \(random.below(6))}", "NOT name BEGINSWITH 'n\(random.below(10))'",
                ][random.below(5)]
                formats["s\(step)"] = format
                try await client.dogs(name: "s\(step)", waitForSync: random.oneIn(2) ? .never : .onCreation, format)
            case 2:
                let start = random.below(500)
                try server.send(.post, "/v1/objects/SubDog?update=modified", dogs(start..<start + 60))
            case 3: try server.send(.delete, "/v1/objects/SubDog?filter=age%20%3D%20\(random.below(6))&limit=20")
            case 4:
                guard formats.count > 2, let name = random.pick(formats.keys.sorted()) else { continue }
                formats[name] = nil
                try await client.unsubscribe(name)
            default:
                // What is changed here and not yet answered keeps its values.
                let (id, age) = (random.below(600), random.below(6))
                try await client.write { $0.object(ofType: SubDog.self, forPrimaryKey: id)?.age = age }
            }
            guard random.oneIn(4) || step == 15 else { continue }
            try await client.settle()
            let filter = formats.values.map { "(\($0))" }.joined(separator: " OR ")
            let query = filter.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
            let answer = try server.send(
                .get, "/v1/objects/SubDog?fields=_id,name,age&sort=_id&limit=1000&filter=\(query)")
            guard case .array(let items)? = answer["items"] else { throw TestServer.Failure(text: "\(answer)") }
            let expected = items.map { row in ["_id", "name", "age"].map { Self.text(row[$0]) } }
            let found = try await client.run { realm in
                realm.objects(SubDog.self).sorted(byKeyPath: "_id").map { dog in
                    ["\(dog._id)", dog.name, dog.age.map { "\($0)" } ?? "null"]
                }
            }
            try #require(Array(found) == expected, "seed \(seed), step \(step), \(formats)")
        }
        #expect(client.errors.now.map(\.message) == [])
    }

    private static func text(_ json: JSONValue?) -> String {
        switch json {
        case .int(let number)?: "\(number)"
        case .string(let text)?: text
        default: "null"
        }
    }
}
