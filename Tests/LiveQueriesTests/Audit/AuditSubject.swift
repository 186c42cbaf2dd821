import LiveQueries
import ObjectModel
import QueryLanguage
import StoreContract
import StoreTesting

/// Something that an audit observes.
enum AuditSubject {
    case query(BoundQuery)

    /// A dozen, of every kind.
    static func some(_ schema: Schema, _ random: inout SeededRandom) -> [AuditSubject] {
        let queries = RandomQueries(schema, forms: .all)
        return (0..<10).map { _ in .query(queries.query(&random)) }
    }

    /// Begins to observe it, from scratch or from what is known of an earlier version.
    func observe(_ live: LiveQueries, since version: Version?, knowing state: AuditState?) -> AuditObserver {
        switch self {
        case .query(let query):
            let recorder = Recorder(resuming: version, from: state.flatMap { $0.keys })
            return AuditObserver(recorder, live.observe(query, since: version, deliver: recorder.receive))
        }
    }
}

/// What an observer takes the present state to be.
enum AuditState {
    case keys([ObjectKey])
    case nothing

    var keys: [ObjectKey]? {
        if case .keys(let keys) = self { return keys }
        return nil
    }
}

/// A recorder of any kind, with the token of its observation.
struct AuditObserver {
    private let recorder: Recorder
    private let token: LiveToken

    init(_ recorder: Recorder, _ token: LiveToken) {
        self.recorder = recorder
        self.token = token
    }

    var state: AuditState { recorder.keys.map { .keys($0) } ?? .nothing }
    var hasResumed: Bool { recorder.hasResumed }
    var changeCount: Int { recorder.changes.count }

    func cancel() { token.cancel() }

    /// In what it differs from a fresh look; nil when it does not.
    func fault(comparedWith subject: AuditSubject, _ snapshot: any Snapshot) throws -> String? {
        if let failure = recorder.failureCode { return "failed with \(failure)" }
        if let fault = recorder.faults.first { return fault }
        switch subject {
        case .query(let query):
            let fresh = try snapshot.select(query, .all)
            return recorder.keys == fresh ? nil : "holds \(recorder.keys ?? []), is \(fresh)"
        }
    }
}
