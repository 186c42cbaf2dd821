import ViewMaintenance
import ObjectModel
import QueryLanguage
import StoreContract

/// A value that is read as a whole, kept current for all its observers. Used by one thread at a time.
///
/// The views of what it depends on report when the value may have changed. Only then is it read, once for all
/// observers, and compared. After the object that owns the property is deleted it sends nothing: its observers watch
/// that object as well.
final class MaintainedValue: MaintainedView {
    private let value: LiveValue
    private var parts: [ValueDependency] = []
    /// Nil where the answer is read again after each change.
    private var histogram: MaintainedHistogram?
    /// Nil when the object whose property it is about was deleted.
    private var content: ValueContent?
    var subscriberGroups: [SubscriberGroup<LiveValueEvent, Void>] = []

    /// The number of objects above which an earlier version of their class is not read for an observer that resumes.
    private static let mostReadBack = 4096

    /// Reads the answer. Throws the errors of the store and of the source, and `notFound` when the object whose property
    /// it is about does not exist.
    init(_ value: LiveValue, _ snapshot: any Snapshot) throws {
        self.value = value
        try begin(snapshot)
    }

    private func begin(_ snapshot: any Snapshot) throws {
        guard try value.holderExists(in: snapshot) else {
            throw StoreError(.notFound, "The object whose property is observed does not exist.")
        }
        let read = try readAgain(snapshot)
        parts = try value.parts.map { try ValueDependency($0, snapshot) }
        content = ValueContent(read)
    }

    private func readAgain(_ snapshot: any Snapshot) throws -> [UInt8] {
        histogram = nil
        if let kind = value.source.histogram, case .query(let query)? = value.parts.first?.subject {
            histogram = try MaintainedHistogram(kind, of: query, snapshot)
        }
        return try histogram?.bytes ?? value.source.read(snapshot)
    }

    var watches: Set<LiveWatch> { parts.reduce(into: []) { $0.formUnion($1.view.watches) } }

    func add(
        _ subscriber: Subscriber<LiveValueEvent>, _ interest: LiveInterest, _ snapshot: any Snapshot,
        since known: Resumption?
    ) throws {
        // It may have come back since.
        if content == nil { try begin(snapshot) }
        let present = try content?.bytes ?? histogram?.bytes ?? value.source.read(snapshot)
        let earlier = try known.flatMap { try content(at: $0, snapshot) }
        let index = try subscriberGroup(interest, snapshot.schema, new: ())
        subscriberGroups[index].subscribers.append(subscriber)
        guard let earlier else {
            subscriber.send(.initial(snapshot: snapshot, present))
            return
        }
        subscriber.send(.resumed(snapshot: snapshot, present))
        if earlier != content {
            subscriber.send(.update(LiveValueChange(snapshot: snapshot, bytes: present, earlier: earlier)))
        }
    }

    func filter(_ keyPaths: [LiveKeyPath], _ schema: Schema) throws -> KeyPathFilter? { nil }

    func advance(_ step: VersionDelta, _ snapshot: any Snapshot) throws {
        guard let earlier = content else { return }
        guard try value.holderExists(in: snapshot) else {
            (parts, content, histogram) = ([], nil, nil)
            return
        }
        var mayDiffer = step.changes.schemaChanged
        for part in parts { if try part.advance(step, snapshot) { mayDiffer = true } }
        guard mayDiffer else { return }
        let isKept = try !step.changes.schemaChanged && histogram?.advance(step, snapshot) == true
        let read = try isKept ? histogram?.bytes ?? value.source.read(snapshot) : readAgain(snapshot)
        let now = ValueContent(read)
        guard now != earlier else { return }
        content = now
        let change = LiveValueChange(snapshot: snapshot, bytes: read, earlier: earlier)
        for subscriberGroup in subscriberGroups { subscriberGroup.send(.update(change)) }
    }

    /// The answer at a version that an observer knows; nil where finding it may cost more than telling the present one.
    private func content(at known: Resumption, _ snapshot: any Snapshot) throws -> ValueContent? {
        var mayDiffer = false
        for part in parts {
            guard let hasChanged = try part.hasChanged(since: known, snapshot) else { return nil }
            if hasChanged { mayDiffer = true }
        }
        guard mayDiffer else { return content }
        guard let step = try known.step(for: watches), try value.holderExists(in: step.before),
            value.holder != nil || watches.classes.allSatisfy({ step.objectCount(of: $0) <= Self.mostReadBack })
        else { return nil }
        // A value that cannot be read at that version may have been readable then, so it is sent in full.
        return (try? value.source.read(step.before)).map { ValueContent($0) }
    }
}
