import EmbeddedStore
import Gateway
import HTTPMessages
import HTTPServer
import JSONCoding
import RepositoryFiles
import RequestHandling
import StoreContract
import StoreTesting
import Testing

@Suite("Snapshots of several gateways")
struct SharedSnapshotTests {
    private func make(_ side: SharedGateways.Side, _ query: String = "") throws -> String {
        let answer = try side.wire.send(.post, "/v1/snapshots\(query)")
        guard answer.status == 201, let id = answer["snapshot"]?.asString else { throw WireFailure("\(answer)") }
        #expect(answer.headers["Location"] == "/v1/snapshots/\(id)")
        return id
    }

    @Test("one that is made at a gateway is read, compared, listed and deleted at the other, at once")
    func everywhere() throws {
        let home = try SharedGateways()
        for round in 0..<30 {
            let (maker, user) = (home.sides[round % 2], home.sides[1 - round % 2])
            let before = try maker.wire.send(.get, "/v1/objects/Dog?sort=_id").text
            let id = try make(maker)
            // Not waited for: the gateway itself waits for the version that the id names.
            let read = try user.wire.send(.get, "/v1/objects/Dog?sort=_id&snapshot=\(id)")
            #expect(read.status == 200, "\(read)")
            let shown = try user.wire.send(.get, "/v1/snapshots/\(id)")
            #expect(try shown.json == maker.wire.send(.get, "/v1/snapshots/\(id)").json)
            let body = #"{"_id":\#(100 + round),"name":"N","age":\#(round)}"#
            #expect(try user.wire.send(.post, "/v1/objects/Dog", body).status == 201)
            try home.settle()
            for side in home.sides {
                let kept = try side.wire.send(.get, "/v1/objects/Dog?sort=_id&snapshot=\(id)")
                #expect(try kept["items"] == JSONValue.parse(before)["items"])
                let form = try side.wire.send(
                    .post, "/v1/query/objects/Dog", "sort=_id&snapshot=\(id)",
                    headers: ["Content-Type": "application/x-www-form-urlencoded"])
                #expect(form.text == kept.text)
                let changes = try side.wire.send(.get, "/v1/snapshots/\(id)/changes")
                #expect(changes.status == 200, "\(changes)")
                #expect(side.gateway.snapshotCount == 1)
                #expect(try side.wire.send(.get, "/v1/snapshots")["snapshots"]?.asArray?.count == 1)
            }
            #expect(try user.wire.send(.delete, "/v1/snapshots/\(id)").status == 204)
            try home.settle()
            for side in home.sides {
                #expect(side.gateway.snapshotCount == 0)
                #expect(try side.wire.send(.get, "/v1/objects/Dog?snapshot=\(id)").status == 410)
                #expect(try side.wire.send(.get, "/v1/snapshots/\(id)").status == 404)
            }
        }
    }

    @Test("each gateway releases it after its time, whatever the clocks say and though its maker is gone")
    func expiry() throws {
        let home = try SharedGateways()
        home.far.clock.pass(3600)
        let id = try make(home.near, "?ttl=60")
        #expect(try home.near.wire.send(.post, "/v1/objects/Dog", #"{"_id":50}"#).status == 201)
        try home.settle()
        home.far.clock.pass(59)
        #expect(try home.far.wire.send(.get, "/v1/objects/Dog?snapshot=\(id)").status == 200)
        home.near.store.close()
        home.far.clock.pass(2)
        #expect(try home.far.wire.send(.get, "/v1/objects/Dog?snapshot=\(id)").status == 410)
        let held = home.far.store.pinnedVersions.count
        home.far.gateway.expireSnapshots()
        #expect(home.far.gateway.snapshotCount == 0 && home.far.store.pinnedVersions.count < held)
        #expect(try home.far.wire.send(.get, "/metrics").text.contains("realmgate_snapshots 0"))
    }

    @Test("limits count those of all gateways")
    func limits() throws {
        let home = try SharedGateways {
            $0.snapshotsPerCaller = 3
            $0.metricsAreOpen = true
        }
        let first = try make(home.near)
        for side in [home.near, home.far] { _ = try make(side) }
        try home.settle()
        for side in home.sides {
            let refused = try side.wire.send(.post, "/v1/snapshots")
            #expect(refused.status == 429 && refused.code == "snapshot.limited", "\(refused)")
            #expect(try side.wire.send(.get, "/metrics").text.contains("realmgate_snapshots 3"))
        }
        #expect(try home.far.wire.send(.delete, "/v1/snapshots/\(first)").status == 204)
        try home.settle()
        _ = try make(home.near)
        try home.settle()
        #expect(try home.far.wire.send(.post, "/v1/snapshots").status == 429)
    }

    @Test("a gateway that was started later, or from an image, answers 410; the others go on")
    func bootstrap() throws {
        let home = try SharedGateways()
        let id = try make(home.near)
        let image = try home.near.store.makeImage(
            by: [UInt8](repeating: 1, count: 16), copy: home.directory.path + "/copy")
        #expect(image != nil)
        let late = try home.add("late")
        #expect(try late.wire.send(.get, "/v1/objects/Dog?snapshot=\(id)").status == 410)
        #expect(try late.wire.send(.get, "/v1/objects/Dog?snapshot=\(id)").code == "snapshot.gone")
        for side in [home.near, home.far] {
            #expect(try side.wire.send(.get, "/v1/objects/Dog?snapshot=\(id)").status == 200)
        }
        // It has those that are made from now on.
        let next = try make(home.far)
        #expect(try late.wire.send(.get, "/v1/objects/Dog?snapshot=\(next)").status == 200)
    }

    @Test("one of a version that does not come is 503; one that cannot be made leaves nothing")
    func faults() throws {
        let home = try SharedGateways {
            $0.readWaitMilliseconds = 200
            $0.snapshotsPerCaller = 1
        }
        let later = "\(try home.near.wire.version() + 50).AAAAAAAAAAAAAAAAAAAAAA"
        let behind = try home.near.wire.send(.get, "/v1/objects/Dog?snapshot=\(later)")
        #expect(behind.status == 503 && behind.code == "store.behind" && behind.headers["Retry-After"] != nil)
        for strange in ["1.AAAA", "x.y", "1.", ".", "18446744073709551616.AA", "1.2.3"] {
            #expect(try home.near.wire.send(.get, "/v1/objects/Dog?snapshot=\(strange)").status == 410, "\(strange)")
            #expect(try home.near.wire.send(.delete, "/v1/snapshots/\(strange)").status == 404, "\(strange)")
        }
        home.near.faults.plan(.turn, .unavailable)
        let refused = try home.near.wire.send(.post, "/v1/snapshots")
        #expect(refused.status == 503 && refused.code == "store.unavailable", "\(refused)")
        // It does not count.
        let id = try make(home.near)
        home.near.faults.plan(.append, .unavailable)
        #expect(try home.near.wire.send(.delete, "/v1/snapshots/\(id)").status == 503)
        #expect(try home.near.wire.send(.get, "/v1/objects/Dog?snapshot=\(id)").status == 200)
    }
}
