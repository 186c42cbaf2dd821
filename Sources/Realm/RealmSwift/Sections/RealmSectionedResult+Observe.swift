public import Dispatch

extension RealmSectionedResult {
    /// Calls the block with `initial` in a later turn, and with an `update` after each version that changed the
    /// sections. Otherwise the same as `RealmCollection.observe`; an element that moves because the property that sorts
    /// changed is reported whatever the key paths are.
    public func observe(
        keyPaths: [String]? = nil, on queue: DispatchQueue? = nil,
        _ block: @escaping (SectionedResultsChange<Self>) -> Void
    ) -> NotificationToken { _observe(keyPaths, on: queue, block) }

    /// Observes on an actor.
    public func observe<A: Actor>(
        keyPaths: [String]? = nil, on actor: A, _isolation: isolated (any Actor)? = #isolation,
        _ block: @escaping @Sendable (isolated A, SectionedResultsChange<Self>) -> Void
    ) async -> NotificationToken {
        await _observe(keyPaths, on: actor, _isolation: _isolation, block)
    }
}

extension SectionedResults {
    public func _observe(
        _ keyPaths: [String]?, on queue: DispatchQueue?, _ block: @escaping (SectionedResultsChange<Self>) -> Void
    ) -> NotificationToken {
        trapOnError {
            try SectionObservation(accessor, only: nil).begin(keyPaths, on: queue) { sections, notification in
                block(SectionedResultsChange(SectionedResults(sections), notification))
            }
        }
    }

    public func _observe<A: Actor>(
        _ keyPaths: [String]?, on actor: A, _isolation: isolated (any Actor)?,
        _ block: @escaping @Sendable (isolated A, SectionedResultsChange<Self>) -> Void
    ) async -> NotificationToken {
        do {
            return try await SectionObservation(accessor, only: nil).begin(
                keyPaths, on: actor, _isolation: _isolation
            ) { actor, call in
                block(actor, SectionedResultsChange(SectionedResults(call.value.0), call.value.1))
            }
        } catch {
            stop(error)
        }
    }
}

extension ResultsSection {
    public func _observe(
        _ keyPaths: [String]?, on queue: DispatchQueue?, _ block: @escaping (SectionedResultsChange<Self>) -> Void
    ) -> NotificationToken {
        trapOnError {
            let key = key
            return try SectionObservation(accessor, only: key).begin(keyPaths, on: queue) { sections, notification in
                block(SectionedResultsChange(ResultsSection(sections, key), notification))
            }
        }
    }

    public func _observe<A: Actor>(
        _ keyPaths: [String]?, on actor: A, _isolation: isolated (any Actor)?,
        _ block: @escaping @Sendable (isolated A, SectionedResultsChange<Self>) -> Void
    ) async -> NotificationToken {
        do {
            let key = Transferred(key)
            return try await SectionObservation(accessor, only: self.key).begin(
                keyPaths, on: actor, _isolation: _isolation
            ) { actor, call in
                block(actor, SectionedResultsChange(ResultsSection(call.value.0, key.value), call.value.1))
            }
        } catch {
            stop(error)
        }
    }
}

extension SectionedResults where SectionElement: ObjectBase {
    /// Calls `observe` with Swift key paths.
    public func observe(
        keyPaths: [PartialKeyPath<SectionElement>], on queue: DispatchQueue? = nil,
        _ block: @escaping (SectionedResultsChange<SectionedResults>) -> Void
    ) -> NotificationToken { observe(keyPaths: keyPaths.map { _name(for: $0) }, on: queue, block) }

    /// Calls `observe` on an actor with Swift key paths.
    public func observe<A: Actor>(
        keyPaths: [PartialKeyPath<SectionElement>], on actor: A, _isolation: isolated (any Actor)? = #isolation,
        _ block: @escaping @Sendable (isolated A, SectionedResultsChange<SectionedResults>) -> Void
    ) async -> NotificationToken {
        await observe(keyPaths: keyPaths.map { _name(for: $0) }, on: actor, _isolation: _isolation, block)
    }
}

extension ResultsSection where T: ObjectBase {
    /// Calls `observe` with Swift key paths.
    public func observe(
        keyPaths: [PartialKeyPath<T>], on queue: DispatchQueue? = nil,
        _ block: @escaping (SectionedResultsChange<ResultsSection>) -> Void
    ) -> NotificationToken { observe(keyPaths: keyPaths.map { _name(for: $0) }, on: queue, block) }

    /// Calls `observe` on an actor with Swift key paths.
    public func observe<A: Actor>(
        keyPaths: [PartialKeyPath<T>], on actor: A, _isolation: isolated (any Actor)? = #isolation,
        _ block: @escaping @Sendable (isolated A, SectionedResultsChange<ResultsSection>) -> Void
    ) async -> NotificationToken {
        await observe(keyPaths: keyPaths.map { _name(for: $0) }, on: actor, _isolation: _isolation, block)
    }
}
