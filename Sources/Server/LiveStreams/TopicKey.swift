import AccessRules
package import JSONCoding
package import ViewMaintenance
package import LiveQueries
package import ObjectCoding
package import ObjectModel
package import QueryLanguage
package import StoreContract

/// The observed data and its encoding. Clients with equal keys share one observation and the encoded events.
package struct TopicKey: Hashable, Sendable {
    package enum Subject: Hashable, Sendable {
        case objects(BoundQuery)
        case sections(BoundQuery, by: SectionKey)
        case aggregate(AggregateSubject)
        indirect case value(ObservedValue)
        /// The list, set or map of one object.
        case elements(ObjectReference, PropertyID)
        case object(ObjectReference)
    }

    package var subject: Subject
    var fields: String?
    var expand: String?
    var style: TypeStyle
    var includesObjects: Bool
    /// Whether it observes embedded objects reached through their owner.
    package var isOwned: Bool
    var keyPaths: [LiveKeyPath]
    /// The parts of each object that the events show, whose changes count as modifications unless key paths are given.
    var shape: LiveShape?
    /// The view of the caller; nil for full access.
    var view: AccessView?
    /// The path that led to the observed data: each step's query matches while the path leads there. The observation
    /// ends when one does not.
    package var hopQueries: [BoundQuery]

    /// The names, identifiers and types of all written properties.
    var form = ""
    /// Parses the request under another schema.
    package var reading: KeyReading?

    package init(
        subject: Subject, fields: String? = nil, expand: String? = nil, style: TypeStyle = .plain,
        includesObjects: Bool = true, isOwned: Bool = false, keyPaths: [LiveKeyPath] = [], hopQueries: [BoundQuery] = []
    ) {
        self.subject = subject
        self.fields = fields
        self.expand = expand
        self.style = style
        self.includesObjects = includesObjects
        self.isOwned = isOwned
        self.keyPaths = keyPaths
        self.hopQueries = hopQueries
    }

    /// The class of the rows, or of the object that owns the elements.
    var classID: ClassID {
        switch subject {
        case .objects(let query), .sections(let query, by: _): query.classID
        case .aggregate(let subject): subject.aggregate.query.classID
        case .value(let subject): subject.main.key.classID
        case .elements(let object, _), .object(let object): object.classID
        }
    }

    /// The observed object, or the one that holds the observed collection; nil for objects of a whole class.
    var owner: ObjectReference? {
        switch subject {
        case .objects(let query), .sections(let query, by: _): query.holder
        case .aggregate(let subject): subject.aggregate.query.holder
        case .value(let subject): subject.main.key.owner
        case .elements(let object, _), .object(let object): object
        }
    }

    /// Whether the stream ends since its object was deleted, or since its path does not lead there any more. False for
    /// an object that has only left the caller's sight: it may come back.
    ///
    /// - Parameters:
    ///   - shown: the version that ends it, as the caller sees it; nil if the object is known to be out of sight there.
    ///   - exists: whether the store has an object.
    func isLost(at shown: (any Snapshot)?, _ exists: (ObjectReference) -> Bool) -> Bool {
        if let owner, (try? shown?.exists(owner.classID, owner.key)) != true { return !exists(owner) }
        guard let shown else { return false }
        return hopQueries.contains { (try? shown.select($0, Window(limit: 1)).isEmpty) == true }
    }
}

extension BoundQuery {
    /// The object whose property the query selects from; nil for objects of a whole class.
    var holder: ObjectReference? {
        if case .property(let holder, _) = scope { holder } else { nil }
    }
}

/// Observed aggregates, and how they are written.
package struct AggregateSubject: Hashable, Sendable {
    package var aggregate: LiveAggregate
    let form: AggregateForm
    /// The maximum number of groups.
    let limit: Int

    package init(_ aggregate: LiveAggregate, _ form: AggregateForm, limit: Int) {
        self.aggregate = aggregate
        self.form = form
        self.limit = limit
    }
}

/// An event of a topic of any kind. Here `deleted` reports that the object was deleted, and its contents with it.
typealias TopicEvent = LiveEvent<TopicContent, TopicDifference>

/// The state that a topic begins with.
enum TopicContent: Sendable {
    case objects(KeySequence)
    case sections(LiveSections)
    case aggregate(AggregateResult)
    /// See `LiveValueSource`.
    case value([UInt8])
    case elements
    case object
}

/// The difference that a topic reports.
enum TopicDifference: Sendable {
    case objects(LiveChange)
    case sections(LiveSectionChange)
    case aggregate(LiveAggregateChange)
    case value(LiveValueChange)
    case elements(LiveCollectionChange)
    case object(LiveObjectChange)
}

extension TopicDifference {
    /// The store at the version that the difference leads to, as the caller sees it.
    var snapshot: any Snapshot {
        switch self {
        case .objects(let change): change.snapshot
        case .sections(let change): change.snapshot
        case .aggregate(let change): change.snapshot
        case .value(let change): change.snapshot
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
        case (.aggregate(let result), _): result.groups.count
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
package struct KeyReading: Hashable, Sendable {
    /// The store's schema for which the key was parsed.
    let schema: Schema
    /// Parses the request at a version as its caller sees it, nil for the latest. Throws the error in it.
    package let read: @Sendable ((any Snapshot)?) throws -> TopicKey

    package init(schema: Schema, read: @escaping @Sendable ((any Snapshot)?) throws -> TopicKey) {
        self.schema = schema
        self.read = read
    }

    package static func == (a: KeyReading, b: KeyReading) -> Bool { true }
    package func hash(into hasher: inout Hasher) {}
}

extension TopicKey {
    /// Returns whether the request means this key at a version, as its caller sees it. Checked at the reported version
    /// and not the latest one, which may have the original schema again although the version between has not.
    func holds(at snapshot: any Snapshot) -> Bool { (try? reading?.read(snapshot)) == self }
}
