import JSONCoding
import LiveQueries
import ObjectModel
import QueryLanguage
import StoreContract
import Synchronization

/// What is observed and how it is told. Clients that ask for the same share one observation and encoded events.
struct ChannelKey: Hashable, Sendable {
    enum Subject: Hashable, Sendable {
        case objects(BoundQuery)
        case sections(BoundQuery, by: SectionKey)
        /// The list, set or map of one object.
        case elements(ObjectReference, PropertyID)
        case object(ObjectReference)
    }

    let subject: Subject
    var fields: String?
    var expand: String?
    var style = TypeStyle.plain
    var includesObjects = true
    var keyPaths: [LiveKeyPath] = []

    /// The object whose list, set, map or linking objects are observed.
    var holder: ObjectReference? {
        switch subject {
        case .objects(let query), .sections(let query, by: _):
            guard case .property(let holder, _) = query.scope else { return nil }
            return holder
        case .elements(let holder, _): return holder
        case .object: return nil
        }
    }

    /// The class of what the rows are made of, or of the object that holds the elements.
    var classID: ClassID {
        switch subject {
        case .objects(let query), .sections(let query, by: _): query.classID
        case .elements(let object, _), .object(let object): object.classID
        }
    }
}

/// What a channel hears of what it observes, whatever that is.
enum ChannelEvent: Sendable {
    enum Content: Sendable {
        case objects(KeySequence)
        case sections(LiveSections)
        case elements
        case object
    }

    enum Difference: Sendable {
        case objects(LiveChange)
        case sections(LiveSectionChange)
        case elements(LiveCollectionChange)
        case object(LiveObjectChange)
    }

    case initial(any Snapshot, Content)
    case resumed(Version)
    case update(Version, Difference)
    /// The object is gone, and with it what it held.
    case deleted(Version)
    case failed(any Error)
}

extension LiveQueries {
    /// Observes what the key says, for as long as the tokens are kept.
    func observe(
        _ key: ChannelKey, since version: Version?, deliver: @escaping @Sendable (ChannelEvent) -> Void
    ) -> [LiveToken] {
        let subject = observeSubject(key, since: version, deliver: deliver)
        guard let holder = key.holder else { return [subject] }
        return [subject, observeEnd(of: holder, deliver: deliver)]
    }

    /// Tells that an object is gone: its list, set, map or linking objects may have been empty, so that nothing about
    /// them became different. It is told after everything that became different with it.
    private func observeEnd(
        of object: ObjectReference, deliver: @escaping @Sendable (ChannelEvent) -> Void
    ) -> LiveToken {
        let afterwards = Mutex<LiveToken?>(nil)
        return observeObject(object.classID, object.key) { [weak self] event in
            switch event {
            case .deleted(let version):
                // What it held may be looked at later in this step. An observer that joins is let in after it.
                let token = self?.observeObject(object.classID, object.key) { _ in deliver(.deleted(version)) }
                afterwards.withLock { $0 = token }
            case .failed(let error): deliver(.failed(error))
            case .initial, .resumed, .change: break
            }
        }
    }

    private func observeSubject(
        _ key: ChannelKey, since version: Version?, deliver: @escaping @Sendable (ChannelEvent) -> Void
    ) -> LiveToken {
        switch key.subject {
        case .objects(let query):
            observe(query, keyPaths: key.keyPaths, since: version) { event in
                switch event {
                case .initial(let snapshot, let keys): deliver(.initial(snapshot, .objects(keys)))
                case .resumed(let snapshot, _): deliver(.resumed(snapshot.version))
                case .update(let change):
                    deliver(.update(change.version, .objects(change)))
                case .failed(let error): deliver(.failed(error))
                }
            }
        case .sections(let query, let sectionKey):
            observeSections(query, by: sectionKey, keyPaths: key.keyPaths, since: version) { event in
                switch event {
                case .initial(let snapshot, let sections): deliver(.initial(snapshot, .sections(sections)))
                case .resumed(let snapshot, _): deliver(.resumed(snapshot.version))
                case .update(let change):
                    deliver(.update(change.version, .sections(change)))
                case .failed(let error): deliver(.failed(error))
                }
            }
        case .elements(let object, let property):
            observeCollection(object, property, keyPaths: key.keyPaths, since: version) { event in
                switch event {
                case .initial(let snapshot): deliver(.initial(snapshot, .elements))
                case .resumed(let snapshot): deliver(.resumed(snapshot.version))
                case .update(let change):
                    deliver(.update(change.version, .elements(change)))
                case .failed(let error): deliver(.failed(error))
                }
            }
        case .object(let object):
            observeObject(object.classID, object.key, keyPaths: key.keyPaths, since: version) { event in
                switch event {
                case .initial(let snapshot): deliver(.initial(snapshot, .object))
                case .resumed(let snapshot): deliver(.resumed(snapshot.version))
                case .change(let change): deliver(.update(change.version, .object(change)))
                case .deleted(let version): deliver(.deleted(version))
                case .failed(let error): deliver(.failed(error))
                }
            }
        }
    }
}
