import Foundation
import HTTPMessages
import HTTPServer
import JSONCoding
import OpenCombine
import RealmSwift
import Synchronization
import TestBasics
import Testing

/// Reports of transfers. Invariant: of one notification, neither number decreases, and no more is transferred than
/// transferable.
@Suite("Progress of uploads and downloads")
struct ProgressTests {
    final class Reports: Sendable {
        private let all = Mutex<[SyncSession.Progress]>([])
        private let ends = Mutex(0)
        var now: [SyncSession.Progress] { all.withLock { $0 } }
        var endings: Int { ends.withLock { $0 } }
        func add(_ progress: SyncSession.Progress) { all.withLock { $0.append(progress) } }
        func end() { ends.withLock { $0 += 1 } }

        var isOrdered: Bool {
            let reports = now
            return zip(reports, reports.dropFirst()).allSatisfy { $0.transferredBytes <= $1.transferredBytes }
                && reports.allSatisfy {
                    $0.transferredBytes <= $0.transferrableBytes && (0...1).contains($0.fractionTransferred)
                }
        }
    }

    private static let text = String(repeating: "x", count: 10_000)

    /// Waits until the reports that had begun have ended: all observers of a file are called one after the other.
    private static func passReports(_ session: SyncSession) async throws {
        let reports = Reports()
        let token = session.addProgressNotification(for: .upload, mode: .reportIndefinitely) { reports.add($0) }
        #expect(try await eventually { !reports.now.isEmpty })
        token?.invalidate()
    }

    @Test(
        "SyncSession.addProgressNotification SyncSession.ProgressMode.forCurrentlyOutstandingWork SyncSession.Progress reports what waits to be sent, and ends with it"
    )
    func outstandingUploads() async throws {
        let server = try TestServer()
        let client = SyncedRealm(server)
        try await client.dogs()
        try await client.settle()
        let session = try #require(try await client.session())
        session.suspend()
        for key in 0..<3 {
            try await client.write { _ = $0.create(SubDog.self, value: ["_id": key, "name": Self.text]) }
            try await Task.sleep(for: .milliseconds(30))
        }
        let reports = Reports()
        let token = session.addProgressNotification(for: .upload, mode: .forCurrentlyOutstandingWork) {
            reports.add($0)
        }
        #expect(token != nil)
        #expect(try await eventually { reports.now.count == 1 })
        let first = try #require(reports.now.first)
        #expect(first.transferredBytes == 0 && (30_000..<60_000).contains(first.transferrableBytes))
        #expect(first.fractionTransferred == 0 && !first.isTransferComplete)
        // Later work does not count.
        try await client.write { _ = $0.create(SubDog.self, value: ["_id": 9, "name": Self.text]) }
        session.resume()
        #expect(try await eventually { reports.now.last?.isTransferComplete == true })
        try await client.settle()
        #expect(reports.isOrdered)
        #expect(reports.now.allSatisfy { $0.transferrableBytes == first.transferrableBytes })
        let count = reports.now.count
        #expect(reports.now.last?.fractionTransferred == 1 && reports.now.filter(\.isTransferComplete).count == 1)
        try await client.write { _ = $0.create(SubDog.self, value: ["_id": 10]) }
        try await client.settle()
        #expect(reports.now.count == count)
        // With nothing to do it is over at once.
        let nothing = Reports()
        let other = session.addProgressNotification(for: .upload, mode: .forCurrentlyOutstandingWork) {
            nothing.add($0)
        }
        #expect(try await eventually { nothing.now.count == 1 })
        #expect(nothing.now.first?.isTransferComplete == true && nothing.now.first?.fractionTransferred == 1)
        withExtendedLifetime((token, other)) {}
    }

    @Test(
        "SyncSession.ProgressMode.reportIndefinitely SyncSession.ProgressDirection.upload SyncSession.ProgressDirection.download SyncSession.ProgressNotificationToken reports each transfer until its token is invalidated",
        arguments: [SyncSession.ProgressDirection.upload, .download])
    func indefinitely(_ direction: SyncSession.ProgressDirection) async throws {
        let server = try TestServer()
        let client = SyncedRealm(server)
        try await client.dogs()
        let session = try #require(try await client.session())
        @Sendable func transfer(_ key: Int) async throws {
            switch direction {
            case .upload:
                try await client.write { _ = $0.create(SubDog.self, value: ["_id": key, "name": Self.text]) }
            case .download: try server.send(.post, "/v1/objects/SubDog", #"[{"_id":\#(key),"name":"\#(Self.text)"}]"#)
            }
            try await client.settle()
        }
        let reports = Reports()
        let token = session.addProgressNotification(for: direction, mode: .reportIndefinitely) { reports.add($0) }
        #expect(try await eventually { !reports.now.isEmpty })
        for count in 1...3 {
            try await transfer(count)
            #expect(
                try await eventually {
                    let last = reports.now.last
                    return last?.isTransferComplete == true && (last?.transferredBytes ?? 0) >= 10_000 * count
                }, "\(reports.now)")
        }
        #expect(reports.isOrdered, "\(reports.now)")
        token?.invalidate()
        try await Self.passReports(session)
        let count = reports.now.count
        try await transfer(4)
        try await Self.passReports(session)
        #expect(reports.now.count == count)
    }

    @Test(
        "a download that is outstanding ends when everything is here, and a first result is estimated before it comes")
    func outstandingDownload() async throws {
        let server = try TestServer()
        let objects = (0..<20).map { #"{"_id":\#($0),"name":"\#(Self.text)"}"# }.joined(separator: ",")
        try server.send(.post, "/v1/objects/SubDog", "[\(objects)]")
        let client = SyncedRealm(server)
        try await client.owners()
        let session = try #require(try await client.session())
        session.suspend()
        try await client.dogs(waitForSync: .never)
        let reports = Reports()
        let token = session.addProgressNotification(for: .download, mode: .forCurrentlyOutstandingWork) {
            reports.add($0)
        }
        #expect(try await eventually { reports.now.count == 1 })
        #expect(reports.now.first?.isTransferComplete == false)
        session.resume()
        #expect(try await eventually { (reports.now.last?.transferredBytes ?? 0) >= 200_000 })
        #expect(try await eventually { reports.now.last?.isTransferComplete == true })
        #expect(try await client.keys().count == 20)
        withExtendedLifetime(token) {}
    }

    @Test("SyncSession.progressPublisher publishes the same, finishes with the work, and ends when it is cancelled")
    func publishers() async throws {
        let server = try TestServer()
        let client = SyncedRealm(server)
        try await client.dogs()
        let session = try #require(try await client.session())
        let (outstanding, endless) = (Reports(), Reports())
        session.suspend()
        try await client.write { _ = $0.create(SubDog.self, value: ["_id": 1, "name": Self.text]) }
        let first = session.progressPublisher(for: .upload, mode: .forCurrentlyOutstandingWork).sink(
            receiveCompletion: { _ in outstanding.end() }, receiveValue: { outstanding.add($0) })
        let second = session.progressPublisher(for: .upload, mode: .reportIndefinitely).sink(
            receiveCompletion: { _ in endless.end() }, receiveValue: { endless.add($0) })
        #expect(try await eventually { !outstanding.now.isEmpty && !endless.now.isEmpty })
        session.resume()
        #expect(try await eventually { outstanding.endings == 1 && endless.now.last?.isTransferComplete == true })
        #expect(outstanding.now.last?.isTransferComplete == true && outstanding.isOrdered && endless.isOrdered)
        #expect(endless.endings == 0)
        second.cancel()
        try await Self.passReports(session)
        let count = endless.now.count
        try await client.write { _ = $0.create(SubDog.self, value: ["_id": 2, "name": Self.text]) }
        try await client.settle()
        try await Self.passReports(session)
        #expect(endless.now.count == count && endless.endings == 0)
        withExtendedLifetime(first) {}
    }
}
