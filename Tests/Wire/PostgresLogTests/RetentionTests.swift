import ObjectModel
import PostgresTesting
import StoreContract
import StoreTesting
import Testing

@testable import PostgresLog

@Suite("Retention of a log")
struct RetentionTests {
    @Test("the floor is below the second image, young entries and what stores still need")
    func bounds() {
        let all = RetentionBounds(
            floor: 10, newest: 100, secondImage: 60, oldestYoung: 80, leastApplied: 90, oldestEntry: 11)
        #expect(all.newFloor == 60)
        func with(_ change: (inout RetentionBounds) -> Void) -> Int64 {
            var bounds = all
            change(&bounds)
            return bounds.newFloor
        }
        #expect(with { $0.oldestYoung = 40 } == 39)
        #expect(with { $0.leastApplied = 30 } == 30)
        #expect(with { $0.secondImage = nil } == 10)
        #expect(with { $0.oldestYoung = nil } == 60)
        #expect(with { $0.leastApplied = nil } == 60)
        #expect(with { $0.leastApplied = 3 } == 10)
    }

    @Test("entries go in batches, and those that are needed stay", .enabled(if: PostgresServer.isThere))
    func trim() throws {
        let realm = try TestRealm()
        let log = try realm.log()
        defer { log.close() }
        let id = try realm.id
        var position = TestRealm.start
        for _ in 0..<12 {
            let tag = HistoryTag.another()
            #expect(try log.append(.init(repeating: [1], count: 1000), after: position, tag: tag) == .appended)
            position = LogPosition(Version(position.version.rawValue + 1000), tag)
        }
        #expect(try log.trim(keepingSeconds: 0) == 0)
        for version in [11_000, 12_000] as [UInt64] {
            _ = try log.uploadImage(at: LogPosition(Version(version), .another()), fileFormat: 1) { _ in [] }
        }
        // All are young.
        #expect(try log.trim(keepingSeconds: 3600) == 0)
        try realm.server.sql(
            "update realmgate.log set made = now() - interval '2 hours' where realm = \(id) and version <= 11500")
        let gateway = LogGateway(
            id: .init(repeating: 1, count: 16), address: "a", program: "realmgate 1", newestFormat: 1, roles: [],
            applied: Version(6000))
        try log.report(gateway)
        #expect(try log.trim(keepingSeconds: 3600) == 5999)
        #expect(code { try log.entries(after: Version(5999)) } == .versionGone)
        #expect(try CommitLogConformance.history(log, after: Version(6000)).count == 6001)
        var later = gateway
        later.applied = Version(11_900)
        try log.report(later)
        #expect(try log.trim(keepingSeconds: 3600) == 5000)
        #expect(try CommitLogConformance.history(log, after: Version(11_000)).count == 1001)
        #expect(
            try realm.server.sql("select min(version), count(*) from realmgate.log where realm = \(id)") == "11001|1001"
        )

        let directory = try LogDirectory(try PostgresAddress(realm.server.url))
        defer { directory.close() }
        let status = try #require(try directory.status().first { $0.name == realm.name.text })
        #expect(status.newest == position && status.floor == Version(11_000) && status.parts == 1001)
        #expect(status.images == 2 && status.newestImage == Version(12_000))
        #expect(status.gateways.map(\.applied) == [Version(11_900)])
        #expect(status.gateways.map(\.program) == ["realmgate 1"])
    }
}
