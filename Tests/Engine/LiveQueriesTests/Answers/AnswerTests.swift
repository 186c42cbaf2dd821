import LiveTesting
import ObjectModel
import QuerySyntax
import QueryLanguage
import StoreContract
import StoreTesting
import Synchronization
import TestBasics
import Testing

@testable import LiveQueries

/// Answers that are read as a whole. What they tell is compared with reads in the tests of the gateway; here are the
/// cost, and the ends.
@Suite("Answers that are read as a whole")
struct AnswerTests {
    /// Reads the scores of a query's tasks, and counts how often.
    private final class Scores: LiveValueSource {
        let query: BoundQuery
        private let count = Atomic(0)

        init(_ query: BoundQuery) { self.query = query }

        /// The number of reads since this was asked last.
        func takeReads() -> Int { count.exchange(0, ordering: .relaxed) }

        func read(_ reads: any ObjectReads) throws -> [UInt8] {
            count.add(1, ordering: .relaxed)
            let values = try reads.select(query, .all).map { try reads.value(TaskStore.task, $0, TaskStore.score) }
            return Array("\(values)".utf8)
        }

        static func == (a: Scores, b: Scores) -> Bool { a.query == b.query }
        func hash(into hasher: inout Hasher) { hasher.combine(query) }
    }

    private final class Received: Sendable {
        private let state = Mutex<[String]>([])

        /// The events since this was asked last.
        func take() -> [String] {
            state.withLock { state in
                defer { state = [] }
                return state
            }
        }

        @Sendable func receive(_ event: LiveValueEvent) {
            state.withLock { state in
                switch event {
                case .initial(_, let answer): state.append("initial \(String(decoding: answer, as: UTF8.self))")
                case .resumed: state.append("resumed")
                case .update(let change): state.append("update \(String(decoding: change.bytes, as: UTF8.self))")
                case .deleted: state.append("deleted")
                case .failed(let error): state.append("failed \((error as? StoreError)?.code.rawValue ?? "")")
                }
            }
        }
    }

    private static let high = BoundQuery(
        classID: TaskStore.task,
        predicate: .comparison(
            BoundComparison(.path(TaskStore.path(TaskStore.score, .int)), .greater, .constant(.int(10)))))

    private static func answer(_ scores: Scores) throws -> LiveValue {
        LiveValue(
            AnyValueSource(scores),
            dependingOn: [LiveValue.Part(.query(scores.query), keyPaths: [try TaskStore.keyPath("score")])])
    }

    @Test("it is read again for changes of what it depends on alone, once for all observers")
    func cost() throws {
        let tasks = try TaskStore()
        try tasks.write { for id in 0..<4 { try $0.task(Int64(id), Int64(id * 10)) } }
        let scores = Scores(Self.high)
        let (one, other) = (Received(), Received())
        let answer = try Self.answer(scores)
        let tokens = [one, other].map { tasks.live.observeValue(answer, deliver: $0.receive) }
        tasks.live.settle()
        #expect(scores.takeReads() == 1)
        for received in [one, other] { #expect(received.take() == ["initial \([Value.int(20), .int(30)])"]) }
        // Another property, another class, objects that match neither before nor after.
        try tasks.write { try $0.setTitle(3, "x") }
        try tasks.write { _ = try $0.person("ada") }
        try tasks.write { try $0.setScore(1, 9) }
        try tasks.write { try $0.task(8, 1) }
        #expect(scores.takeReads() == 0)
        // It may be another answer, and is not.
        try tasks.write { try $0.setScore(3, 30) }
        #expect(scores.takeReads() == 1)
        for received in [one, other] { #expect(received.take() == []) }
        try tasks.write { try $0.setScore(1, 11) }
        #expect(scores.takeReads() == 1)
        for received in [one, other] { #expect(received.take() == ["update \([Value.int(11), .int(20), .int(30)])"]) }
        #expect(tasks.live.resultCount == 1)
        for token in tokens { token.cancel() }
        tasks.store.close()
    }

    @Test("who resumes is told what differs, or nothing, and begins anew where that is not known")
    func resumed() throws {
        let tasks = try TaskStore()
        try tasks.write { for id in 0..<4 { try $0.task(Int64(id), Int64(id * 10)) } }
        let version = try tasks.store.snapshot().version
        let answer = try Self.answer(Scores(Self.high))
        func resume() -> [String] {
            let received = Received()
            let token = tasks.live.observeValue(answer, since: version, deliver: received.receive)
            tasks.live.settle()
            token.cancel()
            return received.take()
        }
        try tasks.write { try $0.setTitle(3, "x") }
        #expect(resume() == ["resumed"])
        try tasks.write { try $0.setScore(3, 31) }
        #expect(resume() == ["resumed", "update \([Value.int(20), .int(31)])"])
        try tasks.write { try $0.setScore(3, 30) }
        #expect(resume() == ["resumed"])
        let received = Received()
        let token = tasks.live.observeValue(answer, since: version.next.next.next.next.next, deliver: received.receive)
        tasks.live.settle()
        #expect(received.take() == ["initial \([Value.int(20), .int(30)])"])
        token.cancel()
        tasks.store.close()
    }

    @Test("an answer that cannot be read any more ends with the error of the read")
    func failure() throws {
        struct Failing: LiveValueSource {
            func read(_ reads: any ObjectReads) throws -> [UInt8] {
                guard try reads.count(BoundQuery(classID: TaskStore.task)) < 3 else {
                    throw StoreError(.tooExpensive, "Too many.")
                }
                return []
            }
        }
        let tasks = try TaskStore()
        try tasks.write { try $0.task(1, 1) }
        let received = Received()
        let answer = LiveValue(
            AnyValueSource(Failing()),
            dependingOn: [LiveValue.Part(.query(BoundQuery(classID: TaskStore.task)), extent: .order)])
        let token = tasks.live.observeValue(answer, deliver: received.receive)
        try tasks.write { try $0.task(2, 2) }
        #expect(received.take() == ["initial "])
        try tasks.write { try $0.task(3, 3) }
        #expect(received.take() == ["failed \(StoreError.Code.tooExpensive.rawValue)"])
        #expect(tasks.live.resultCount == 0)
        token.cancel()
        tasks.store.close()
    }
}
