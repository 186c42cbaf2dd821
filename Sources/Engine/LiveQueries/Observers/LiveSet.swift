import Basics
import ViewMaintenance
import ObjectModel
import QueryLanguage
import StoreContract

/// All views of one handle with one visibility filter, or with none, all of them at one version, which it pins. Used by
/// one thread at a time.
final class LiveSet {
    private let store: any Store
    private(set) var snapshot: any Snapshot
    private var subjects = LiveSubjects()
    private var dependencyIndex = DependencyIndex()
    /// The visibility filter at the same version; nil when everything is visible.
    private let filtered: FilteredState?
    private lazy var past = VersionHistory(store, before: snapshot, through: filtered)

    private let policy: LivePolicy
    private let clock: DeliveryClock

    init(
        _ store: any Store, at snapshot: any Snapshot, through visibility: AnyVisibilityFilter?, _ policy: LivePolicy,
        _ clock: DeliveryClock
    ) {
        self.store = store
        filtered = visibility.map { FilteredState($0.visibility, at: snapshot) }
        self.policy = policy
        self.clock = clock
        self.snapshot = snapshot
    }

    var isEmpty: Bool { subjects.isEmpty }
    var count: Int { subjects.count }

    /// Advances everything to a later version and notifies the observers of the difference. `changes` are those in
    /// between.
    func advance(_ changes: ChangeSet, to later: any Snapshot) {
        let earlier = snapshot
        snapshot = later
        past = VersionHistory(store, before: later, through: filtered)
        guard let filtered else {
            if changes.schemaChanged { endOutdated(at: later) }
            return notify(VersionDelta(changes, from: earlier, to: later), later)
        }
        do {
            guard let step = try filtered.advance(changes, to: later, in: store, of: dependencyIndex.classes()) else {
                return
            }
            let seen = try filtered.shown()
            if changes.schemaChanged { endOutdated(at: seen) }
            notify(step, seen)
        } catch {
            fail(error)
        }
    }

    private func notify(_ step: VersionDelta, _ later: any Snapshot) {
        let numbers = step.changes.schemaChanged ? subjects.numbers : dependencyIndex.affected(by: step)
        var costs: [(number: Int, nanoseconds: Int64)] = []
        let worked = policy.isShared ? SystemClock.threadWork : 0
        for number in numbers.sorted() {
            guard let subject = subjects[number] else { continue }
            let start = clock.worked
            subject.advance(by: step, to: later)
            let spent = clock.worked - start
            subject.cost.add(spent)
            if policy.isShared { costs.append((number, spent)) }
            if step.changes.schemaChanged { dependencyIndex.record(subject, as: number) }
            if !subject.isObserved { remove(number) }
        }
        // The clock also counts the time in which others had the processor, but only the thread's own time decides.
        if let patience = policy.patience, SystemClock.threadWork - worked > patience {
            relieve(costs, to: patience / 2)
        }
    }

    /// Ends the observations of the costliest views, until the others take no longer than a time.
    private func relieve(_ costs: [(number: Int, nanoseconds: Int64)], to limit: Int64) {
        var rest = costs.reduce(0) { $0 + $1.nanoseconds }
        for cost in costs.sorted(by: { $0.nanoseconds > $1.nanoseconds }) {
            guard rest > limit else { return }
            rest -= cost.nanoseconds
            guard let subject = subjects[cost.number] else { continue }
            subject.fail(LiveOverload(version: snapshot.version))
            remove(cost.number)
        }
    }

    /// Ends the observations whose bindings do not hold under the schema of a version.
    private func endOutdated(at seen: any Snapshot) {
        for number in subjects.numbers.sorted() {
            guard let subject = subjects[number] else { continue }
            subject.endOutdated(at: seen)
            if !subject.isObserved { remove(number) }
        }
    }

    /// Adds an observer at the present version, and sends it the state, or the difference since the version that it
    /// knows.
    func admit(_ registration: LiveRegistration) {
        guard registration.subscriber.isActive else { return }
        let id = registration.subject
        let start = clock.worked
        do {
            let seen = try filtered?.shown() ?? snapshot
            let subject = try subjects[id] ?? registration.makeView(try limited() ?? seen)
            registration.cost.follow(subject.cost)
            try subject.add(registration, seen, past)
            subject.cost.add(clock.worked - start)
            keep(subject, as: id)
        } catch let error as StoreError where error.code == .tooExpensive && policy.isShared {
            registration.subscriber.fail(LiveOverload(version: nil))
        } catch {
            registration.subscriber.fail(error)
        }
    }

    /// The visible snapshot, with queries that count against the budget.
    private func limited() throws -> (any Snapshot)? {
        guard let budget = policy.budget() else { return nil }
        return try filtered?.shown(limitedBy: budget) ?? snapshot.limited(by: budget)
    }

    private func keep(_ subject: LiveView, as id: LiveViewID) {
        guard subject.isObserved else { return }
        dependencyIndex.record(subject, as: subjects.keep(subject, as: id))
    }

    /// Removes the observers of a view that have left, and the view with the last of them.
    func prune(_ id: LiveViewID) {
        guard let number = subjects.number(of: id), let subject = subjects[number] else { return }
        subject.prune()
        if !subject.isObserved { remove(number) }
    }

    private func remove(_ number: Int) {
        subjects.remove(number)
        dependencyIndex.forget(number)
    }

    /// Ends all observations.
    func fail(_ error: any Error) {
        for number in subjects.numbers { subjects[number]?.fail(error) }
        subjects = LiveSubjects()
        dependencyIndex = DependencyIndex()
    }
}

/// The views by identity and by number: a query is slow to compare with others, and a commit can affect very many.
private struct LiveSubjects {
    private var known: [LiveViewID: Int] = [:]
    private var subjects: [Int: LiveView] = [:]
    private var ids: [Int: LiveViewID] = [:]
    private var next = 0

    var isEmpty: Bool { subjects.isEmpty }
    var count: Int { subjects.count }
    var numbers: Set<Int> { Set(subjects.keys) }

    subscript(number: Int) -> LiveView? { subjects[number] }
    subscript(id: LiveViewID) -> LiveView? { known[id].flatMap { subjects[$0] } }

    func number(of id: LiveViewID) -> Int? { known[id] }

    /// Stores the view; returns its number.
    mutating func keep(_ subject: LiveView, as id: LiveViewID) -> Int {
        if let number = known[id] {
            subjects[number] = subject
            return number
        }
        next += 1
        known[id] = next
        subjects[next] = subject
        ids[next] = id
        return next
    }

    mutating func remove(_ number: Int) {
        subjects[number] = nil
        if let id = ids.removeValue(forKey: number) { known[id] = nil }
    }
}
