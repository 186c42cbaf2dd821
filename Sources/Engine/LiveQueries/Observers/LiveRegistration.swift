import ObjectModel
import QueryLanguage
import StoreContract

/// The subject of an observation, and its lens.
struct LiveAddress: Hashable, Sendable {
    let lens: AnyLens?
    let subject: MaintainedViewID
}

/// A request to observe something.
struct LiveRegistration: Sendable {
    let subject: MaintainedViewID
    /// A subscriber for events of the view's kind.
    let subscriber: any LiveSubscriber
    let keyPaths: [LiveKeyPath]
    /// The data of each object that it shows, if it gives no key paths.
    var shape: LiveShape?
    /// The version that the observer saw last, if it resumes.
    let since: Version?
    /// Its lens; nil for an observer that sees everything.
    var lens: AnyLens?

    /// Makes the view at the snapshot. Throws when it does not fit the schema, and `notFound`.
    func makeSubject(_ snapshot: any Snapshot) throws -> any MaintainedView {
        switch subject {
        case .query(let query): try MaintainedResult(query, snapshot)
        case .sections(let query, let key): try MaintainedSections(query, by: key, snapshot)
        case .collection(let object, let property): try ObservedCollection(object, property, snapshot)
        case .object(let object): try ObservedObject(object, snapshot, isResumed: since != nil)
        }
    }
}

/// A subscriber for events of any kind.
protocol LiveSubscriber: AnyObject, Sendable {
    var isActive: Bool { get }

    func cancel()

    /// Reports that the observation cannot continue.
    func fail(_ error: any Error)
}

extension Subscriber: LiveSubscriber where Event: LiveEventKind {
    func fail(_ error: any Error) { finish(.failed(error)) }
}
