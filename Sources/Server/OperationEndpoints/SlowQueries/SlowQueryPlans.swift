import FairScheduling
import LiveQueries
import ObjectModel
import RequestHandling
import StoreContract
import Synchronization

/// The plans of slow queries, and the advice for them. They are kept for a minute, because advice reads columns.
final class SlowQueryPlans: Sendable {
    struct Findings: Sendable {
        /// Nil for a query that does not fit the schema, or is not kept.
        let plan: QueryExplanation.Part?
        let advice: [IndexAdvice]
    }

    private struct Known {
        let example: Timestamp
        let schema: Schema
        let time: Timestamp
        let findings: Findings
    }

    private static let lifetime: Int64 = 60
    /// The objects that the advice for one query may examine.
    private static let rows = 50_000_000

    /// By form.
    private let known = Mutex<[String: Known]>([:])

    /// Returns what is known of a query under the present schema. Cost, at most once a minute: the look-ups of its plan,
    /// and a pass over the column of each property that may want an index.
    func findings(of entry: SlowQueries.Entry, in snapshot: any Snapshot, at now: Timestamp) -> Findings {
        let example = entry.example
        let recent = known.withLock { known in
            known = known.filter { abs(now.seconds - $0.value.time.seconds) < Self.lifetime }
            return known[entry.form]
        }
        if let recent, recent.example == example.time, recent.schema == snapshot.schema { return recent.findings }
        let budget = QueryBudget(rows: Self.rows, milliseconds: nil, pace: RequestPace.current)
        // A query of an earlier schema may have neither, and one that is too expensive has what was found before.
        let limited = try? snapshot.limited(by: budget)
        let query = example.query.flatMap { query in
            (try? LiveQueries.maintenance(of: query, under: snapshot.schema)) == nil ? nil : query
        }
        let plan = limited.flatMap { limited in
            try? query.map { try limited.explain($0, example.window, running: false).root }
        }
        let advice = plan == nil ? nil : limited.flatMap { try? IndexAdvice.all(for: example, in: $0) }
        let findings = Findings(plan: plan, advice: advice ?? [])
        known.withLock {
            $0[entry.form] = Known(example: example.time, schema: snapshot.schema, time: now, findings: findings)
        }
        return findings
    }
}
