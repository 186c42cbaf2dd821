import ViewMaintenance
import LiveQueries
import LiveTesting
import ObjectModel
import QuerySyntax
import QueryLanguage
import StoreContract
import StoreTesting
import Testing

/// Worked examples for results, with the numbers of their series.
struct WorkedExampleTests {
    typealias Work = @Sendable (any WriteTransaction) throws -> Void

    struct Example: Sendable, CustomTestStringConvertible {
        let number: Int
        let transaction: Work
        var second: Work?
        var deletions: [Int] = []
        var insertions: [Int] = []
        var modifications: [Int] = []
        var testDescription: String { "example \(number)" }

        init(
            _ number: Int, d: [Int] = [], i: [Int] = [], m: [Int] = [], then second: Work? = nil,
            _ transaction: @escaping Work
        ) {
            self.number = number
            self.transaction = transaction
            self.second = second
            deletions = d
            insertions = i
            modifications = m
        }
    }

    static let unsorted: [Example] = [
        Example(1, m: [2]) { try $0.setScore(3, 35) },
        Example(2, m: [2]) { try $0.setScore(3, 30) },
        Example(3, d: [1]) { try $0.setScore(2, 400) },
        Example(4, d: [1], m: [3]) {
            try $0.setScore(2, 400)
            try $0.setScore(4, 41)
        },
        Example(5, i: [5]) { try $0.task(6, 60) },
        Example(6, i: [0]) { try $0.setScore(0, 5) },
        Example(7, d: [0, 4], i: [3]) {
            try $0.deleteTask(1)
            try $0.deleteTask(5)
            try $0.task(6, 1)
            try $0.setTitle(6, "x")
        },
        Example(8, then: { try $0.deleteTask(6) }) { try $0.task(6, 1) },
        Example(9, d: [0], m: [1], then: { try $0.deleteTask(1) }) { try $0.setScore(2, 21) },
        Example(10) {
            try $0.person("unrelated")
            try $0.setScore(0, 301)
        },
        Example(11, d: [1], i: [4]) {
            try $0.deleteTask(2)
            try $0.task(2, 20)
        },
    ]

    @Test("unsorted results report entries, exits and modifications", arguments: unsorted)
    func unsortedResults(_ example: Example) throws {
        let below100 = BoundPredicate.comparison(
            BoundComparison(.path(TaskStore.path(TaskStore.score, .int)), .less, .constant(.int(100))))
        try check(example, BoundQuery(classID: TaskStore.task, predicate: below100)) {
            try $0.task(0, 500)
            for id in 1...5 { try $0.task(Int64(id), Int64(id) * 10) }
        }
    }

    static let sorted: [Example] = [
        Example(13, m: [2]) { try $0.setScore(3, 75) },
        Example(14, d: [3], i: [1]) { try $0.setScore(4, 85) },
        Example(15, d: [0], i: [3]) { try $0.setScore(1, 10) },
        Example(16, d: [3], i: [1], m: [0]) {
            try $0.setTitle(1, "x")
            try $0.setScore(4, 85)
        },
        Example(17, d: [0, 3], i: [0, 3]) {
            try $0.setScore(1, 60)
            try $0.setScore(4, 90)
        },
    ]

    @Test("sorted results report moved elements as a deletion and an insertion", arguments: sorted)
    func sortedResults(_ example: Example) throws {
        let query = BoundQuery(classID: TaskStore.task, steps: [.sort([Self.byScoreDescending])])
        try check(example, query) { try Self.createFour($0) }
    }

    @Test("limited results report elements that enter and leave")
    func limitedResults() throws {
        let sorted = BoundQuery(
            classID: TaskStore.task, steps: [.sort([Self.byScoreDescending]), .limit(2)])
        try check(Example(18, d: [1], i: [0]) { try $0.task(5, 95) }, sorted) { try Self.createFour($0) }
        let unsorted = BoundQuery(classID: TaskStore.task, steps: [.limit(2)])
        try check(Example(19, d: [0], i: [1]) { try $0.deleteTask(1) }, unsorted) { try Self.createFour($0) }
    }

    static let distinct: [Example] = [
        Example(20, i: [1]) { try $0.setTitle(2, "c") },
        Example(21, i: [1], m: [0]) { try $0.setTitle(1, "c") },
        Example(22, d: [1]) { try $0.setTitle(3, "a") },
        Example(23) { try $0.setScore(2, 7) },
        Example(24, d: [0], i: [0]) { try $0.deleteTask(1) },
    ]

    @Test("distinct results report changes of the representatives", arguments: distinct)
    func distinctResults(_ example: Example) throws {
        let query = BoundQuery(
            classID: TaskStore.task, steps: [.distinct([TaskStore.path(TaskStore.title, .string)])])
        try check(example, query) {
            try $0.task(1, 1, "a")
            try $0.task(2, 1, "a")
            try $0.task(3, 1, "b")
        }
    }

    private static let byScoreDescending = SortKey(TaskStore.path(TaskStore.score, .int), ascending: false)

    @Sendable private static func createFour(_ transaction: any WriteTransaction) throws {
        for (index, score) in [90, 80, 70, 60].enumerated() {
            try transaction.task(Int64(index) + 1, Int64(score), "t\(index)")
        }
    }

    /// Runs the example; a second transaction is reported together with the first as one change.
    private func check(_ example: Example, _ query: BoundQuery, _ setUp: @escaping Work) throws {
        let tasks = try TaskStore()
        try tasks.write(setUp)
        let (recorder, token) = try tasks.observe(query)
        #expect(recorder.keys != nil)
        if let second = example.second {
            try tasks.withWorkerBusy {
                try tasks.store.write(example.transaction)
                try tasks.store.write(second)
            }
        } else {
            try tasks.write(example.transaction)
        }
        let expected = IndexChanges(
            deletions: example.deletions, insertions: example.insertions, modifications: example.modifications)
        let reported = recorder.changes.map { change in
            var withoutNew = change
            withoutNew.modificationsNew = []
            return withoutNew
        }
        #expect(reported == (expected.isEmpty ? [] : [expected]))
        #expect(recorder.faults == [])
        #expect(try recorder.keys == tasks.store.snapshot().select(query, .all))
        token.cancel()
    }
}

extension TaskStore {
    /// Runs `body` while the worker's thread is blocked, so that it processes everything at once afterwards.
    func withWorkerBusy(_ body: () throws -> Void) throws {
        let gate = Gate()
        let token = live.observe(BoundQuery(classID: Self.person)) { event in
            if case .initial = event {
                gate.arrive()
                gate.wait()
            }
        }
        gate.waitForArrival()
        defer {
            gate.open()
            token.cancel()
            live.settle()
        }
        try body()
    }
}
