import ViewMaintenance
import LiveQueries
import LiveTesting
import ObjectModel
import QueryLanguage
import StoreContract
import StoreTesting
import TestBasics

/// A subject that an audit observes.
enum AuditSubject {
    case query(BoundQuery, keyPaths: [LiveKeyPath])
    case sections(BoundQuery, SectionKey)
    /// A list, set or map of the object with that key, from its creation on.
    case collection(ObjectReference, PropertyID)

    /// A dozen subjects, of every kind.
    static func some(_ schema: Schema, _ random: inout SeededRandom) throws -> [AuditSubject] {
        let queries = RandomQueries(schema, forms: .all)
        var subjects: [AuditSubject] = []
        for number in 0..<10 {
            let query = queries.query(&random)
            if number % 4 == 3 {
                subjects.append(.sections(query, queries.sectionKey(of: query.classID, &random)))
                continue
            }
            var keyPaths: [LiveKeyPath] = []
            if random.oneIn(4), let property = random.pick(schema[query.classID]?.properties ?? []) {
                keyPaths = [try LiveKeyPath(property.name, in: query.classID, of: schema)]
            }
            subjects.append(.query(query, keyPaths: keyPaths))
        }
        let holders = schema.classes.flatMap { objectClass in
            objectClass.storedProperties.filter(\.type.isCollection).map { (objectClass.id, $0.id) }
        }
        for _ in 0..<3 {
            guard let (classID, property) = random.pick(holders) else { break }
            subjects.append(
                .collection(ObjectReference(classID, ObjectKey(Int64(random.below(12)))), property))
        }
        return subjects
    }

    /// Whether there is something to observe.
    func exists(in snapshot: any Snapshot) throws -> Bool {
        guard case .collection(let object, _) = self else { return true }
        return try snapshot.exists(object.classID, object.key)
    }

    /// Begins to observe it, from scratch or from a known earlier version.
    func observe(_ live: LiveQueries, since version: Version? = nil, knowing state: AuditState? = nil) -> AuditObserver
    {
        switch self {
        case .query(let query, let keyPaths):
            let recorder = Recorder(resuming: version, from: state?.keys)
            let token = live.observe(query, keyPaths: keyPaths, since: version, deliver: recorder.receive)
            return AuditObserver(recorder: .query(recorder), token: token)
        case .sections(let query, let key):
            let recorder = SectionRecorder(from: state?.sections)
            let token = live.observeSections(query, by: key, since: version, deliver: recorder.receive)
            return AuditObserver(recorder: .sections(recorder), token: token)
        case .collection(let object, let property):
            let recorder = CollectionRecorder(object, property, from: state?.value)
            let token = live.observeCollection(object, property, since: version, deliver: recorder.receive)
            return AuditObserver(recorder: .collection(recorder), token: token)
        }
    }
}

/// The present state as an observer knows it.
enum AuditState {
    case keys([ObjectKey])
    case sections([SectionRecorder.Section])
    case value(Value)

    var keys: [ObjectKey]? {
        if case .keys(let keys) = self { keys } else { nil }
    }

    var sections: [SectionRecorder.Section]? {
        if case .sections(let sections) = self { sections } else { nil }
    }

    var value: Value? {
        if case .value(let value) = self { value } else { nil }
    }
}
