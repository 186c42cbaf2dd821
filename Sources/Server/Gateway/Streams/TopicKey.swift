import AccessRules
import JSONCoding
import LiveQueries
import ObjectModel
import QueryLanguage
import StoreContract

/// The observed data and its encoding. Clients with equal keys share one observation and the encoded events.
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
    /// Whether it observes embedded objects reached through their owner.
    var isOwned = false
    var keyPaths: [LiveKeyPath] = []
    /// The parts of each object that the events show, whose changes count as modifications unless key paths are given.
    var shape: LiveShape?
    /// The view of the caller; nil for full access.
    var view: AccessView?
    /// The path that led to the observed data: each step's query matches while the path leads there. The observation
    /// ends when one does not.
    var way: [BoundQuery] = []

    /// The names, identifiers and types of all written properties.
    var form = ""
    /// Parses the request under another schema.
    var reading: KeyReading?

    /// The class of the rows, or of the object that owns the elements.
    var classID: ClassID {
        switch subject {
        case .objects(let query), .sections(let query, by: _): query.classID
        case .elements(let object, _), .object(let object): object.classID
        }
    }
}

/// An event of a topic of any kind. Here `deleted` reports that the object was deleted, and its contents with it.
typealias TopicEvent = LiveEvent<TopicContent, TopicDifference>

/// The state that a topic begins with.
enum TopicContent: Sendable {
    case objects(KeySequence)
    case sections(LiveSections)
    case elements
    case object
}

/// The difference that a topic reports.
enum TopicDifference: Sendable {
    case objects(LiveChange)
    case sections(LiveSectionChange)
    case elements(LiveCollectionChange)
    case object(LiveObjectChange)
}

extension TopicDifference {
    /// The store at the version that the difference leads to, as the caller sees it.
    var snapshot: any Snapshot {
        switch self {
        case .objects(let change): change.snapshot
        case .sections(let change): change.snapshot
        case .elements(let change): change.snapshot
        case .object(let change): change.snapshot
        }
    }
}

extension TopicContent {
    /// Returns the number of rows in the first event.
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
