import ViewMaintenance
import Dispatch
import LiveQueries
import ObjectModel

/// Converts changes of a collection to changes of its sections. Used on the observer's thread, queue or actor.
final class SectionObservation<Key: _Persistable & Hashable, Element: RealmCollectionValue> {
    /// The sections that are passed to the observer.
    private(set) var sections: SectionedAccessor<Key, Element>
    /// The sections at the last call; nil before the first call.
    private var last: SectionTable<Key>?
    /// The one section that is observed; nil for all.
    private let only: Key?

    init(_ sections: SectionedAccessor<Key, Element>, only: Key?) {
        self.sections = sections
        self.only = only
    }

    /// Returns nil if the observer need not be called.
    func take(_ seen: any CollectionAccessor, _ notification: CollectionNotification) throws -> SectionNotification? {
        if seen !== sections.accessor { sections = try sections.moved(to: seen) }
        let old = last
        // If the owner was deleted, there are no elements.
        let table =
            seen.isInvalidated
            ? try SectionTable([], in: seen.realm) { _ in throw RealmException.invalidObject } : try sections.table()
        last = table
        guard case .update(.positions(let indices)) = notification, let old else {
            if case .initial = notification { return .initial }
            return nil
        }
        let changes = try old.positions.changes(to: table.positions, indices)
        guard let only else { return changes.isEmpty ? nil : .update(changes) }
        let section = ResultsSection(sections, only)
        return try changes.restricted(old: section.index(in: old), new: section.index(in: table)).map { .update($0) }
    }

    /// Updates the state after a commit that skipped the observer.
    func skip() throws {
        if last != nil, !sections.accessor.isInvalidated { last = try sections.table() }
    }

    func begin(
        _ keyPaths: [String]?, on queue: DispatchQueue?,
        _ block: @escaping (SectionedAccessor<Key, Element>, SectionNotification) -> Void
    ) throws -> NotificationToken {
        let realm = sections.realm
        let token = try CollectionObservation.begin(sections.accessor, keyPaths, on: queue) {
            [self] seen, notification in
            trapOnError {
                if let notification = try take(seen, notification) { block(sections, notification) }
            }
        }
        if queue == nil {
            realm.onSkip(token.token) { [weak self] in try self?.skip() }
        }
        return token
    }

    func begin<A: Actor>(
        _ keyPaths: [String]?, on actor: A, _isolation: isolated (any Actor)?,
        _ block:
            @escaping @Sendable (isolated A, Transferred<(SectionedAccessor<Key, Element>, SectionNotification)>) ->
            Void
    ) async throws -> NotificationToken {
        let state = Transferred(self)
        return try await CollectionObservation.begin(
            sections.accessor, keyPaths, on: actor, _isolation: _isolation
        ) { actor, call in
            trapOnError {
                let state = state.value
                guard let notification = try state.take(call.value.0, call.value.1) else { return }
                block(actor, Transferred((state.sections, notification)))
            }
        }
    }
}
