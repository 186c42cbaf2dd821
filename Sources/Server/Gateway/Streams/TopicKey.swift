import AccessRules
import JSONCoding
import LiveQueries
import ObjectModel
import QueryLanguage
import StoreContract

/// What is observed and how it is told. Clients that ask for the same share one observation and encoded events.
struct TopicKey: Hashable, Sendable {
    enum Subject: Hashable, Sendable {
        case objects(BoundQuery)
        case sections(BoundQuery, by: SectionKey)
        /// The list, set or map of one object.
        case elements(ObjectReference, PropertyID)
        case object(ObjectReference)
    }

    var subject: Subject
    var fields: String?
    var expand: String?
    var style = TypeStyle.plain
    var includesObjects = true
    /// Whether it is about embedded objects that are reached through the one that owns them.
    var isOwned = false
    var keyPaths: [LiveKeyPath] = []
    /// What the events show of each object, which counts as modified when that changes; unless key paths say what counts.
    var shape: LiveShape?
    /// Whose eyes it is seen with, when not everything is there for them.
    var view: AccessView?
    /// What path led to what is observed: each step gives an object as long as it leads on. It ends when one does not.
    var way: [BoundQuery] = []

    /// The names, numbers and types of all that is written.
    var form = ""
    /// How the request comes to a key under another schema.
    var reading: KeyReading?

    /// The class of what the rows are made of, or of the object that holds the elements.
    var classID: ClassID {
        switch subject {
        case .objects(let query), .sections(let query, by: _): query.classID
        case .elements(let object, _), .object(let object): object.classID
        }
    }
}

/// What a topic hears of what it observes, whatever that is.
enum TopicEvent: Sendable {
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
    case resumed(any Snapshot)
    case update(Version, Difference)
    /// The object is gone, and with it what it held.
    case deleted(Version)
    case failed(any Error)
}

extension TopicEvent.Content {
    /// How many rows it begins with.
    func rowCount(_ key: TopicKey, _ snapshot: any Snapshot) throws -> Int {
        switch (self, key.subject) {
        case (.objects(let keys), _): keys.count
        case (.sections(let sections), _): sections.elementCount
        case (.elements, .elements(let holder, let property)):
            try snapshot.elementCount(holder.classID, holder.key, property)
        default: 1
        }
    }
}
