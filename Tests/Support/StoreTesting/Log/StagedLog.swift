package import ObjectModel
package import StoreContract
import Synchronization

/// Passes calls on to another log, and runs what a test plans between them: so that what others do to the log happens at
/// a fixed position among the calls of a store.
///
/// Its turns bring no entries, as those of any log may, so a store always fetches what it lacks.
package final class StagedLog: CommitLog {
    /// A position among the calls.
    package enum Moment: Hashable, Sendable { case beforeTurn, inTurn, beforeEntries }

    private let log: any CommitLog
    private let stage = Mutex(Stage())

    private struct Stage {
        var planned: [Moment: [@Sendable () throws -> Void]] = [:]
        /// The number of events that have begun and not ended.
        var running = 0
    }

    package init(_ log: any CommitLog) { self.log = log }

    /// Plans what happens once, when that moment comes next, or after what is planned for it already.
    package func plan(_ moment: Moment, _ event: @escaping @Sendable () throws -> Void) {
        stage.withLock { $0.planned[moment, default: []].append(event) }
    }

    /// Whether everything that was planned has ended.
    package var isOver: Bool { stage.withLock { $0.running == 0 && $0.planned.values.allSatisfy(\.isEmpty) } }

    private func come(_ moment: Moment) throws {
        let event = stage.withLock { stage -> (@Sendable () throws -> Void)? in
            guard let first = stage.planned[moment]?.first else { return nil }
            stage.planned[moment]?.removeFirst()
            stage.running += 1
            return first
        }
        guard let event else { return }
        defer { stage.withLock { $0.running -= 1 } }
        try event()
    }

    package func takeTurn(after version: Version?) throws -> any LogTurn {
        try come(.beforeTurn)
        let turn = try log.takeTurn(after: version)
        try come(.inTurn)
        return StagedTurn(turn)
    }

    package func entries(after version: Version) throws -> [LogEntry] {
        try come(.beforeEntries)
        return try log.entries(after: version)
    }
}

private final class StagedTurn: LogTurn {
    private let turn: any LogTurn

    init(_ turn: any LogTurn) { self.turn = turn }

    var position: LogPosition { turn.position }
    var newEntries: [LogEntry] { [] }

    func append(_ bodies: [[UInt8]], tag: HistoryTag) throws -> AppendOutcome { try turn.append(bodies, tag: tag) }

    func end() { turn.end() }
}

extension StagedLog {
    package var id: Int64 { log.id }

    package func newest() throws -> LogPosition { try log.newest() }

    package func append(_ bodies: [[UInt8]], after position: LogPosition, tag: HistoryTag) throws -> AppendOutcome {
        try log.append(bodies, after: position, tag: tag)
    }

    package func onHint(_ listener: @escaping @Sendable () -> Void) { log.onHint(listener) }

    package func close() { log.close() }

    package func images() throws -> [LogImage] { try log.images() }

    package func uploadImage(
        at position: LogPosition, fileFormat: Int32, _ read: (_ most: Int) throws -> [UInt8]
    ) throws -> LogImage { try log.uploadImage(at: position, fileFormat: fileFormat, read) }

    package func downloadImage(_ image: LogImage, _ write: ([UInt8]) throws -> Void) throws {
        try log.downloadImage(image, write)
    }

    package func deleteImages(keeping count: Int) throws { try log.deleteImages(keeping: count) }

    package func claimImage(by store: [UInt8]) throws -> Bool { try log.claimImage(by: store) }

    package func releaseImage(by store: [UInt8]) throws { try log.releaseImage(by: store) }

    package func entryBytes(after version: Version) throws -> Int64 { try log.entryBytes(after: version) }

    package func floor() throws -> Version { try log.floor() }

    package func trim(keepingSeconds seconds: Int64) throws -> Int64 { try log.trim(keepingSeconds: seconds) }

    package func record(_ name: String) throws -> LogRecord? { try log.record(name) }

    package func recordRevisions(prefix: String) throws -> [String: Int64] { try log.recordRevisions(prefix: prefix) }

    package func recordRevisions(of names: [String]) throws -> [String: Int64] {
        try log.recordRevisions(of: names)
    }

    package func store(_ body: [UInt8], as name: String, over revision: Int64?) throws -> Bool {
        try log.store(body, as: name, over: revision)
    }

    package func deleteRecord(_ name: String, at revision: Int64) throws -> Bool {
        try log.deleteRecord(name, at: revision)
    }

    package func onRecordHint(_ listener: @escaping @Sendable () -> Void) { log.onRecordHint(listener) }
}
