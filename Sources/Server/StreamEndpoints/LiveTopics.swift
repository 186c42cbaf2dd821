import FairScheduling
import HTTPServer
import LiveQueries
package import LiveStreams
import ObjectCoding
import ObjectModel
package import RequestHandling
import StoreContract

extension Topics {
    /// Begins to observe the store of a gateway. Throws if it is closed.
    ///
    /// - Parameter memory: the memory for events that clients have not yet read.
    package convenience init(_ context: GatewayContext, _ memory: EventMemory) throws {
        let (store, settings, workers, logger) = (context.store, context.settings, context.workers, context.logger)
        let live = try LiveQueries(store, .forAll(settings.now, settings))
        self.init(
            TopicContext(
                live: live, workers: workers,
                limits: EventLimits(
                    memory: memory, eventBytes: { settings.now.eventBytes },
                    answerBytes: { settings.now.answerBytes }),
                largest: { settings.now.maximumObserved },
                problem: { Problem(of: $0, logger) }, newest: { try store.snapshot().mark },
                mark: { version in (try? store.tag(of: version)).flatMap { $0 }.map { Mark(version, $0) } },
                schema: { try store.snapshot().schema },
                exists: { (try? store.snapshot().exists($0.classID, $0.key)) ?? false }),
            branch: { try live.branch(.branch(for: $0, settings, workers)) })
    }
}

extension LivePolicy {
    /// The bytes that a first result may read on the shared thread: some milliseconds.
    private static let sharedBytes = 64 << 20

    /// The thread that all callers share.
    fileprivate static func forAll(_ configuration: GatewayConfiguration, _ settings: LiveConfiguration) -> LivePolicy {
        .shared(patience: configuration.sharedCommitNanoseconds) {
            QueryBudget(
                rows: settings.now.queryRows, effort: configuration.sharedQueryLookups, bytes: sharedBytes,
                milliseconds: nil)
        }
    }

    /// A thread for one caller's costly queries, in turns with everyone's long requests.
    fileprivate static func branch(for caller: LimitKey, _ settings: LiveConfiguration, _ workers: WorkerPool)
        -> LivePolicy
    {
        let pace = RequestPace(caller)
        return .inTurns(
            budget: {
                let present = settings.now
                return QueryBudget(rows: present.queryRows, milliseconds: present.queryMilliseconds, pace: pace)
            }, pace: pace
        ) { work in workers.perform(for: pace, work) }
    }
}
