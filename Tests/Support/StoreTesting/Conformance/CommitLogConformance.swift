import Dispatch
package import ObjectModel
package import StoreContract
import Synchronization
import TestBasics

/// Checks that a log keeps its contract. Each topic gets a realm of its own, opens logs of it, and throws a
/// `ConformanceFailure` or an unexpected error of a log.
package enum CommitLogConformance {
    /// Opens a log of a new realm; each call another one of the same realm.
    package typealias Realm = () throws -> any CommitLog

    private static let start = LogPosition.start

    package struct Topic: Sendable, CustomStringConvertible {
        package let description: String
        package let check: @Sendable (Realm) throws -> Void
    }

    package static let topics: [Topic] = [
        Topic(description: "a new log is at its start and has no entries", check: empty),
        Topic(description: "entries come back in order, with their tags", check: order),
        Topic(description: "an append at another place is superseded and leaves nothing", check: condition),
        Topic(description: "bodies of all sizes come back as they were", check: bodies),
        Topic(description: "pages of entries follow each other without gaps", check: pages),
        Topic(description: "two logs in two threads append each entry once", check: twoWriters),
        Topic(description: "a turn keeps others from appending, and ends", check: turn),
        Topic(description: "turns of two logs in two threads are shared", check: sharedTurns),
        Topic(description: "a hint reaches other logs of the realm", check: hints),
        Topic(description: "images come back as they were, and the newest are kept", check: images),
        Topic(description: "one store at a time may make an image", check: imageLease),
        Topic(description: "the log is trimmed up to the second newest image", check: trimming),
        Topic(description: "a closed log says so", check: close),
    ]

    /// Entries that were appended one after the other, as others find them.
    package static func history(_ log: any CommitLog, after start: Version = LogPosition.start.version) throws
        -> [LogEntry]
    {
        var entries: [LogEntry] = []
        while true {
            let page = try log.entries(after: entries.last?.version ?? start)
            if page.isEmpty { return entries }
            entries += page
        }
    }

    @Sendable private static func empty(_ realm: Realm) throws {
        let log = try realm()
        defer { log.close() }
        try requireEqual(try log.newest(), start, "the place of a new log")
        let other = try realm()
        defer { other.close() }
        try require(log.id > 0 && other.id == log.id, "logs of one realm are \(log.id) and \(other.id)")
        try require(try log.entries(after: start.version) == [], "a new log has entries")
        try require(try log.append([], after: start, tag: .another()) == .appended, "an empty append is superseded")
        try require(try log.newest() == start, "an empty append moved the log")
    }

    @Sendable private static func order(_ realm: Realm) throws {
        let (log, other) = (try realm(), try realm())
        defer {
            log.close()
            other.close()
        }
        var position = start
        var expected: [LogEntry] = []
        for count in [1, 3, 1, 40] {
            let bodies = (0..<count).map { Array("entry \(position.version) \($0)".utf8) }
            let tag = HistoryTag.another()
            try require(try log.append(bodies, after: position, tag: tag) == .appended, "an append was superseded")
            for (index, body) in bodies.enumerated() {
                let version = Version(position.version.rawValue + UInt64(index) + 1)
                expected.append(LogEntry(version: version, tag: tag, body: body))
            }
            position = LogPosition(Version(position.version.rawValue + UInt64(count)), tag)
            try require(try other.newest() == position, "the newest place is not that of the last append")
        }
        try require(try history(other) == expected, "the entries are not those that were appended")
        for index in [0, 1, 4, 43] {
            let version = Version(start.version.rawValue + UInt64(index))
            try require(
                try history(other, after: version) == Array(expected[index...]), "entries after \(version) differ")
        }
        try require(try log.entries(after: position.version) == [], "there are entries after the newest")
    }

    @Sendable private static func condition(_ realm: Realm) throws {
        let (log, other) = (try realm(), try realm())
        defer {
            log.close()
            other.close()
        }
        let tag = HistoryTag.another()
        try require(try log.append([[1]], after: start, tag: tag) == .appended, "the first append is superseded")
        let position = LogPosition(Version(2), tag)
        for wrong in [
            start, LogPosition(Version(2), start.tag), LogPosition(Version(3), tag), LogPosition(Version(1), tag),
        ] {
            try require(
                try other.append([[2]], after: wrong, tag: .another()) == .superseded,
                "an append after \(wrong) was taken")
        }
        try require(
            try history(other) == [LogEntry(version: Version(2), tag: tag, body: [1])], "there are other entries")
        try require(
            try other.append([[2]], after: position, tag: .another()) == .appended, "the right place is superseded")
    }

    @Sendable private static func bodies(_ realm: Realm) throws {
        let log = try realm()
        defer { log.close() }
        var random = SeededRandom(seed: 7)
        func noise(_ count: Int) -> [UInt8] {
            var bytes: [UInt8] = []
            while bytes.count < count { withUnsafeBytes(of: random.next()) { bytes.append(contentsOf: $0) } }
            return Array(bytes.prefix(count))
        }
        let part = 256 * 1024
        var position = start
        var expected: [[UInt8]] = []
        let sizes = [0, 1, 511, 512, 513, part - 2, part - 1, part, part + 1, 2 * part - 1, 3 * part]
        let groups = [
            sizes.map(noise), sizes.map { [UInt8](repeating: 0, count: $0) }, [noise(5 << 20), [], noise(2 << 20)],
        ]
        for bodies in groups {
            let tag = HistoryTag.another()
            try require(try log.append(bodies, after: position, tag: tag) == .appended, "an append was superseded")
            position = LogPosition(Version(position.version.rawValue + UInt64(bodies.count)), tag)
            expected += bodies
        }
        let found = try history(log)
        try require(found.map(\.body.count) == expected.map(\.count), "bodies have other sizes")
        try require(found.map(\.body) == expected, "bodies differ")
    }

    @Sendable private static func pages(_ realm: Realm) throws {
        let log = try realm()
        defer { log.close() }
        var position = start
        for round in 0..<12 {
            let tag = HistoryTag.another()
            let bodies = (0..<500).map { Array("\(round) \($0)".utf8) }
            try require(try log.append(bodies, after: position, tag: tag) == .appended, "an append was superseded")
            position = LogPosition(Version(position.version.rawValue + 500), tag)
        }
        let found = try history(log)
        try require(found.count == 6000, "\(found.count) entries of 6000")
        try require(found.map(\.version.rawValue) == Array(2...6001), "the versions have gaps")
    }

    /// Appends until `count` entries of its own are in the log; returns their bodies.
    private static func write(
        _ count: Int, as name: String, to log: any CommitLog,
        appending: ((any CommitLog, [UInt8], HistoryTag) throws -> Bool)? = nil
    ) throws -> [[UInt8]] {
        var written: [[UInt8]] = []
        while written.count < count {
            let body = Array("\(name) \(written.count)".utf8)
            let isWritten =
                try appending?(log, body, .another())
                ?? (log.append([body], after: log.newest(), tag: .another()) == .appended)
            if isWritten { written.append(body) }
        }
        return written
    }

    /// Runs two writers at the same time and compares the log with what they say.
    ///
    /// - Parameter round: tells the entries of several calls apart.
    /// - Returns: how many entries the slower one had in the log when the other had all of its own.
    @discardableResult
    private static func together(
        _ realm: Realm, count: Int, round: Int = 0,
        appending: (@Sendable (any CommitLog, [UInt8], HistoryTag) throws -> Bool)? = nil
    ) throws -> Int {
        let logs = [try realm(), try realm()]
        defer { for log in logs { log.close() } }
        let before = try logs[0].newest().version
        let results = Mutex<[Int: Result<[[UInt8]], any Error>]>([:])
        let ready = Atomic<Int>(0)
        let group = DispatchGroup()
        // Queues of their own, each of which gets a thread.
        for index in 0..<2 {
            DispatchQueue(label: "writer \(index)").async(group: group) {
                ready.add(1, ordering: .acquiringAndReleasing)
                while ready.load(ordering: .acquiring) < 2 {}
                let result = Result {
                    try write(count, as: "\(round) writer \(index)", to: logs[index], appending: appending)
                }
                results.withLock { $0[index] = result }
            }
        }
        group.wait()
        let written = try results.withLock { results in try (0..<2).map { try results[$0]?.get() ?? [] } }
        let found = try history(logs[0], after: before).map(\.body)
        try require(found.count == 2 * count, "\(found.count) entries of \(2 * count)")
        for (index, bodies) in written.enumerated() {
            let own = found.filter { $0.starts(with: "\(round) writer \(index)".utf8) }
            try require(own == bodies, "the entries of writer \(index) are not there once and in order")
        }
        let last = found.firstIndex { $0 == written[0].last } ?? 0
        let otherLast = found.firstIndex { $0 == written[1].last } ?? 0
        return min(last, otherLast) + 1 - count
    }

    @Sendable private static func twoWriters(_ realm: Realm) throws { try together(realm, count: 60) }

    @Sendable private static func turn(_ realm: Realm) throws {
        let (log, other) = (try realm(), try realm())
        defer {
            log.close()
            other.close()
        }
        let turn = try log.takeTurn()
        try require(turn.position == start, "the turn is at \(turn.position)")
        let isDone = Atomic<Bool>(false)
        let ended = DispatchSemaphore(value: 0)
        let outcome = Mutex<Result<AppendOutcome, any Error>?>(nil)
        DispatchQueue.global().async {
            let result = Result { try other.append([[9]], after: start, tag: .another()) }
            outcome.withLock { $0 = result }
            isDone.store(true, ordering: .releasing)
            ended.signal()
        }
        _ = ended.wait(timeout: .now() + .milliseconds(200))
        try require(!isDone.load(ordering: .acquiring), "another log appended during the turn")
        try require(try turn.append([[1], [2]], tag: .another()) == .appended, "the turn's append was superseded")
        ended.wait()
        try require(
            try outcome.withLock { try $0?.get() } == .superseded,
            "the append that waited for the turn was not superseded")
        try require(try history(other).map(\.body) == [[1], [2]], "there are other entries")

        let second = try other.takeTurn()
        try require(second.position.version == Version(3), "the second turn is at \(second.position)")
        second.end()
        second.end()
        do {
            _ = try second.append([[3]], tag: .another())
            throw ConformanceFailure("a turn that has ended appended")
        } catch let error as StoreError where error.code == .closed {}
        _ = try other.takeTurn()
        // The last reference is gone.
        try require(try other.takeTurn(after: Version(3)).newEntries.isEmpty, "a turn brought what its store has")
        let third = try log.takeTurn(after: start.version)
        try require(third.newEntries == (try history(other)), "a turn did not bring what others wrote")
        try require(try third.append([[4]], tag: .another()) == .appended, "a turn's append was superseded")
    }

    @Sendable private static func sharedTurns(_ realm: Realm) throws {
        var turns: [Int] = []
        // Evenly, but for the moment at which one begins, and for a processor that one of the threads waits for. A log
        // that prefers one of them does so each time.
        while turns.last ?? 0 < 10 {
            try require(turns.count < 100, "one log had \(turns) turns while the other had 60")
            turns.append(
                try together(realm, count: 60, round: turns.count) { log, body, tag in
                    let turn = try log.takeTurn()
                    return try turn.append([body], tag: tag) == .appended
                })
        }
    }

    @Sendable private static func hints(_ realm: Realm) throws {
        let (log, other) = (try realm(), try realm())
        defer {
            log.close()
            other.close()
        }
        let hinted = DispatchSemaphore(value: 0)
        other.onHint { hinted.signal() }
        var position = start
        // The first may come before the other log listens.
        let isHinted = try eventually {
            let tag = HistoryTag.another()
            try require(try log.append([[1]], after: position, tag: tag) == .appended, "an append was superseded")
            position = LogPosition(position.version.next, tag)
            return hinted.wait(timeout: .now() + .milliseconds(50)) == .success
        }
        try require(isHinted, "no hint came")
    }

    @Sendable private static func close(_ realm: Realm) throws {
        let log = try realm()
        let turn = try log.takeTurn()
        log.close()
        log.close()
        turn.end()
        for call in [
            { _ = try log.newest() }, { _ = try log.entries(after: start.version) }, { _ = try log.takeTurn() },
            { _ = try log.append([[1]], after: start, tag: .another()) },
        ] {
            do {
                try call()
                throw ConformanceFailure("a closed log answered")
            } catch let error as StoreError where error.code == .closed {}
        }
        // The turn of the closed log does not stay.
        let other = try realm()
        defer { other.close() }
        try other.takeTurn().end()
    }
}
