import JSONCoding
import LiveQueries
import ObjectModel
import QueryLanguage
import StoreContract

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
    /// Observes what the key says.
    func observe(
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
                    if change.newKeys.isEmpty, query.hasLostHolder(change.snapshot) {
                        deliver(.deleted(change.version))
                    }
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
                    if change.newSections.count == 0, query.hasLostHolder(change.snapshot) {
                        deliver(.deleted(change.version))
                    }
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
                    if change.ownerIsDeleted { deliver(.deleted(change.version)) }
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

extension BoundQuery {
    /// Whether it is about what one object holds, and that object is gone.
    fileprivate func hasLostHolder(_ snapshot: any Snapshot) -> Bool {
        guard case .property(let holder, _) = scope else { return false }
        return (try? snapshot.exists(holder.classID, holder.key)) == false
    }
}
