import ObjectModel
import QueryLanguage
import StoreContract

/// Somebody who wants to observe something.
struct LiveRegistration: Sendable {
    enum Observer: Sendable {
        case query(BoundQuery, Subscriber<LiveEvent>)
        case sections(BoundQuery, SectionKey, Subscriber<LiveSectionEvent>)
        case collection(ObjectReference, PropertyID, Subscriber<LiveCollectionEvent>)
        case object(ObjectReference, Subscriber<LiveObjectEvent>)
    }

    let observer: Observer
    let keyPaths: [LiveKeyPath]
    /// The version that the observer has heard of, if it resumes.
    let since: Version?

    var subject: LiveSubjectID {
        switch observer {
        case .query(let query, _): .query(query)
        case .sections(let query, let key, _): .sections(query, key)
        case .collection(let object, let property, _): .collection(object, property)
        case .object(let object, _): .object(object)
        }
    }

    var isActive: Bool {
        switch observer {
        case .query(_, let subscriber): subscriber.isActive
        case .sections(_, _, let subscriber): subscriber.isActive
        case .collection(_, _, let subscriber): subscriber.isActive
        case .object(_, let subscriber): subscriber.isActive
        }
    }

    func cancel() {
        switch observer {
        case .query(_, let subscriber): subscriber.cancel()
        case .sections(_, _, let subscriber): subscriber.cancel()
        case .collection(_, _, let subscriber): subscriber.cancel()
        case .object(_, let subscriber): subscriber.cancel()
        }
    }

    func fail(_ error: any Error) {
        switch observer {
        case .query(_, let subscriber): subscriber.finish(.failed(error))
        case .sections(_, _, let subscriber): subscriber.finish(.failed(error))
        case .collection(_, _, let subscriber): subscriber.finish(.failed(error))
        case .object(_, let subscriber): subscriber.finish(.failed(error))
        }
    }
}
