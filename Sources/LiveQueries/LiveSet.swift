import ObjectModel
import QueryLanguage
import StoreContract

/// Everything that is observed through one handle, all of it at one version, which it pins. Used by one thread at a
/// time.
final class LiveSet {
    private let store: any Store
    private(set) var snapshot: any Snapshot
    private var subjects: [LiveSubjectID: any LiveSubject] = [:]
    private var watchers = LiveWatchers()
    private lazy var past = PastVersions(store, before: snapshot)

    init(_ store: any Store, at snapshot: any Snapshot) {
        self.store = store
        self.snapshot = snapshot
    }

    var isEmpty: Bool { subjects.isEmpty }
    var count: Int { subjects.count }

    /// Brings everything to a later version and tells the observers what became different. `changes` are those in
    /// between.
    func advance(_ changes: ChangeSet, to later: any Snapshot) {
        let step = LiveStep(changes, from: snapshot, to: later)
        snapshot = later
        past = PastVersions(store, before: later)
        for id in changes.schemaChanged ? Set(subjects.keys) : watchers.affected(by: changes) {
            guard let subject = subjects[id] else { continue }
            do {
                try subject.advance(step, later)
                if changes.schemaChanged { watchers.set(subject.watches, for: id) }
            } catch {
                subject.fail(error)
            }
            if !subject.isObserved { remove(id) }
        }
    }

    /// Lets an observer in, at the present version, and tells it the state, or what became different since the version
    /// that it knows.
    func admit(_ registration: LiveRegistration) {
        guard registration.isActive else { return }
        let id = registration.subject
        do {
            let subject = try subjects[id] ?? registration.makeSubject(snapshot)
            try registration.join(subject, snapshot, past)
            keep(subject, as: id)
        } catch {
            registration.fail(error)
        }
    }

    private func keep(_ subject: any LiveSubject, as id: LiveSubjectID) {
        subjects[id] = subject
        watchers.set(subject.watches, for: id)
    }

    /// Forgets the observers of a subject that have left, and the subject with the last of them.
    func prune(_ id: LiveSubjectID) {
        subjects[id]?.prune()
        if subjects[id]?.isObserved == false { remove(id) }
    }

    private func remove(_ id: LiveSubjectID) {
        subjects[id] = nil
        watchers.set([], for: id)
    }

    /// Ends all observations.
    func fail(_ error: any Error) {
        for subject in subjects.values { subject.fail(error) }
        subjects = [:]
        watchers = LiveWatchers()
    }
}
