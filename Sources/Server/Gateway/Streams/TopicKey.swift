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

/// Parses a request as a topic key. When the schema is replaced, the request is parsed again: if the key is the same,
/// the observation continues; if it differs or is an error, the members begin again.
///
/// Requests with equal keys are parsed alike, so this type compares equal for all.
struct KeyReading: Hashable, Sendable {
    /// The store's schema for which the key was parsed.
    let schema: Schema
    /// Parses the request at a version as its caller sees it, nil for the latest. Throws the error in it.
    let read: @Sendable ((any Snapshot)?) throws -> TopicKey

    static func == (a: KeyReading, b: KeyReading) -> Bool { true }
    func hash(into hasher: inout Hasher) {}
}

extension TopicKey {
    /// Returns whether the request means this key at a version, as its caller sees it. Checked at the reported version
    /// and not the latest one, which may have the original schema again although the version between has not.
    func holds(at snapshot: any Snapshot) -> Bool { (try? reading?.read(snapshot)) == self }
}
