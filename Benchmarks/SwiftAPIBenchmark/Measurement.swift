import Dispatch
import Glibc

/// One thing done by three, in nanoseconds for each time.
struct Line {
    let what: String
    let realm: Double
    let plain: Double?
    let grdb: Double?

    static let header = "| each, in ns | RealmSwift | plain Swift | GRDB | RealmSwift / plain | GRDB / RealmSwift |"

    var markdown: String {
        "| \(what) | \(text(realm)) | \(text(plain)) | \(text(grdb)) | \(text(plain.map { realm / $0 })) | \(text(grdb.map { $0 / realm })) |"
    }

    private func text(_ value: Double?) -> String {
        guard let value else { return "–" }
        if value >= 100 { return String(Int(value.rounded())) }
        return String((value * 10).rounded() / 10)
    }
}

/// One party's part of a round: what is done before and after it is not timed.
struct Part {
    let count: Int
    let prepare: () throws -> Void
    let body: () throws -> Void
    let finish: () throws -> Void

    init(
        _ count: Int, prepare: @escaping () throws -> Void = {}, finish: @escaping () throws -> Void = {},
        _ body: @escaping () throws -> Void
    ) {
        self.count = count
        self.prepare = prepare
        self.body = body
        self.finish = finish
    }

    /// Nanoseconds for each.
    func time() throws -> Double {
        try prepare()
        let start = DispatchTime.now().uptimeNanoseconds
        try body()
        let end = DispatchTime.now().uptimeNanoseconds
        try finish()
        return Double(end - start) / Double(count)
    }
}

/// Rounds in turn, so that a machine that drifts does so for all; the medians.
func compare(_ what: String, rounds: Int = 15, realm: Part, plain: Part? = nil, grdb: Part? = nil) throws {
    let parts = [realm, plain, grdb]
    var times: [[Double]] = [[], [], []]
    for round in 0...rounds {
        for (index, part) in parts.enumerated() {
            guard let time = try part?.time(), round > 0 else { continue }
            times[index].append(time)
        }
    }
    let medians = times.map { $0.isEmpty ? nil : $0.sorted()[$0.count / 2] }
    print(Line(what: what, realm: medians[0] ?? 0, plain: medians[1], grdb: medians[2]).markdown)
    fflush(nil)
}

/// Keeps what is computed from being left out, and makes sure that all parties compute the same.
struct Sum {
    private(set) var total = 0

    @inline(never)
    mutating func add(_ value: Int) { total &+= value }
}
