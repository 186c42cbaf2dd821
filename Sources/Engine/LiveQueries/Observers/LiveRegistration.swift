import ObjectModel
import QueryLanguage
import StoreContract

/// What is observed, and what it is seen through.
struct LiveAddress: Hashable, Sendable {
    let lens: AnyLens?
    let subject: MaintainedViewID
}

/// Somebody who wants to observe something.
struct LiveRegistration: Sendable {
    let subject: MaintainedViewID
    /// One for events of the subject's kind.
    let subscriber: any LiveSubscriber
    let keyPaths: [LiveKeyPath]
    /// What it shows of each object, if it names no key paths.
    var shape: LiveShape?
    /// The version that the observer has heard of, if it resumes.
    let since: Version?
    /// What it sees the store through; nil for one that sees everything.
    var lens: AnyLens?

    /// What is to be observed, as it is at the snapshot. Throws when it does not fit the schema, and `notFound`.
    func makeSubject(_ snapshot: any Snapshot) throws -> any MaintainedView {
        switch subject {
        case .query(let query): try MaintainedResult(query, snapshot)
        case .sections(let query, let key): try MaintainedSections(query, by: key, snapshot)
        case .collection(let object, let property): try ObservedCollection(object, property, snapshot)
        case .object(let object): try ObservedObject(object, snapshot, isResumed: since != nil)
        }
    }
}

/// An observer of whatever kind.
protocol LiveSubscriber: AnyObject, Sendable {
    var isActive: Bool { get }

    func cancel()

    /// Tells it that the observation cannot go on.
    func fail(_ error: any Error)
}

extension Subscriber: LiveSubscriber where Event: LiveEventKind {
    func fail(_ error: any Error) { finish(.failed(error)) }
}
