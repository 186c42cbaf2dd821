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

extension LiveRegistration {
    /// What is to be observed, as it is at the snapshot. Throws when it does not fit the schema, and `notFound`.
    func makeSubject(_ snapshot: any Snapshot) throws -> any LiveSubject {
        switch observer {
        case .query(let query, _): try MaintainedResult(query, snapshot)
        case .sections(let query, let key, _): try MaintainedSections(query, by: key, snapshot)
        case .collection(let object, let property, _): try ObservedCollection(object, property, snapshot)
        case .object(let object, _): try ObservedObject(object, snapshot, isResumed: since != nil)
        }
    }

    /// Makes this one of the subject's observers, and tells it the state, or what became different since the version
    /// that it knows. The subject is what `makeSubject` makes, at the snapshot's version.
    func join(_ subject: any LiveSubject, _ snapshot: any Snapshot, _ past: PastVersions) throws {
        switch (observer, subject) {
        case (.query(_, let subscriber), let result as MaintainedResult):
            try result.add(subscriber, keyPaths, snapshot, since: since, past)
        case (.sections(_, _, let subscriber), let sections as MaintainedSections):
            try sections.add(subscriber, keyPaths, snapshot, since: since, past)
        case (.collection(_, _, let subscriber), let collection as ObservedCollection):
            try collection.add(subscriber, keyPaths, snapshot, since: since, past)
        case (.object(_, let subscriber), let object as ObservedObject):
            try object.add(subscriber, keyPaths, snapshot, since: since, past)
        default: preconditionFailure("The subject is of another kind than what is to be observed.")
        }
    }
}
