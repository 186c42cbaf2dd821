import FairScheduling
import HTTPServer
import LiveQueries
import StoreContract

extension LivePolicy {
    /// The bytes that a first result may read on the shared thread: some milliseconds.
    private static let sharedBytes = 64 << 20

    /// The thread that all callers share.
    static func forAll(_ configuration: GatewayConfiguration, _ settings: LiveConfiguration) -> LivePolicy {
        .shared(patience: configuration.sharedPatience) {
            QueryBudget(
                rows: settings.value.queryRows, effort: configuration.sharedEffort, bytes: sharedBytes,
                milliseconds: nil)
        }
    }

    /// A thread for one caller's costly queries, in turns with everyone's long requests.
    static func branch(for caller: LimitKey, _ settings: LiveConfiguration, _ workers: WorkerPool) -> LivePolicy {
        let pace = RequestPace(caller)
        return .inTurns(
            budget: {
                let present = settings.value
                return QueryBudget(rows: present.queryRows, milliseconds: present.queryMilliseconds, pace: pace)
            }, pace: pace
        ) { work in workers.perform(for: pace, work) }
    }
}
