import LiveStreams
import ObjectCoding
package import ObjectModel
package import WireProtocol

extension SubscriptionSet.State {
    /// Takes over what the set is now, and tells the streams. Returns the subscriptions of other gateways that the
    /// streams observe from now on, with what they observe.
    mutating func adopt(_ newer: SetContent) -> [(Subscription, TopicKey)] {
        var next = newer
        var bound: [(Subscription, TopicKey)] = []
        let old = Dictionary(content.subscriptions.map { ($0.id, $0) }, uniquingKeysWith: { _, last in last })
        for index in next.subscriptions.indices {
            let subscription = next.subscriptions[index]
            if let known = old[subscription.id], known.revision == subscription.revision {
                next.subscriptions[index].key = known.key ?? subscription.key
                next.subscriptions[index].state = known.state
                continue
            }
            for stream in streams {
                switch subscription.key.map({ Result<TopicKey, Problem>.success($0) })
                    ?? stream.bindQuery(subscription.query)
                {
                case .success(let key):
                    if next.subscriptions[index].key == nil {
                        next.subscriptions[index].key = key
                        bound.append((next.subscriptions[index], key))
                    }
                    stream.add(subscription, key, since: nil, revision: next.revision)
                case .failure(let problem):
                    next.subscriptions[index].state = .failed(problem)
                    stream.refuse(subscription, problem)
                }
            }
        }
        let present = Set(next.subscriptions.map(\.id))
        for subscription in content.subscriptions where !present.contains(subscription.id) {
            for stream in streams { stream.remove(subscription, revision: next.revision) }
        }
        content = next
        return bound
    }
}

/// Sets that all gateways of a realm have. These functions wait for the log, and throw its errors.
extension SubscriptionSet {
    /// Reads what other gateways have made of the set. Returns whether there is one.
    @discardableResult
    func refresh(from record: SetRecord) throws -> Bool {
        let known = current.recordRevision
        let found = try record.load()
        let bound = withState { state -> [(Subscription, TopicKey)] in
            // Another thread may have read or written a later one meanwhile.
            guard let found else {
                guard state.recordRevision == known else { return [] }
                state.recordRevision = nil
                return state.adopt(SetContent(revision: state.revision))
            }
            guard found.revision > state.recordRevision ?? 0 else { return [] }
            state.recordRevision = found.revision
            return state.adopt(found.content)
        }
        settle(bound)
        return found != nil
    }

    /// Records the first results of subscriptions that other gateways have made.
    private func settle(_ bound: [(Subscription, TopicKey)]) {
        guard let stream = current.streams.first else { return }
        for (subscription, key) in bound {
            stream.awaitFirst(key) { [weak self] in self?.settle(subscription.id, subscription.revision, $0) }
        }
    }

    /// Tells the other gateways that this one has streams of the set.
    package func hold() throws {
        guard let record else { return }
        try change { $0.add(holder: record.gateway) }
        withState { state in
            if state.streams.isEmpty { state.heardBarrier = state.content.barriers.map(\.number).max() ?? 0 }
        }
    }

    /// Tells them that it has none any more.
    func release() throws {
        guard let record, current.recordRevision != nil else { return }
        try change { content in
            if current.streams.isEmpty { content.remove(holder: record.gateway) }
        }
    }

    /// Does what other gateways want of this one: sends their barriers, and ends the streams of a set that is gone.
    func obey() {
        guard let record else { return }
        let (left, kept, barriers) = withState { state -> ([SetStream], [SetStream], [SharedBarrier]) in
            guard state.recordRevision != nil, state.content.holders.contains(record.gateway) else {
                return (state.streams, [], [])
            }
            let new = state.content.barriers.filter { $0.number > state.heardBarrier }
            state.heardBarrier = new.map(\.number).max() ?? state.heardBarrier
            return ([], state.streams, new)
        }
        for stream in left { stream.close() }
        // A stream that waits for too many barriers leaves one out: its client waits, and asks again.
        for barrier in barriers { for stream in kept { _ = stream.requestBarrier(barrier.token, at: barrier.mark) } }
    }

    /// Requests a barrier of all gateways that have streams. Returns the number of streams, as far as it is known: one
    /// for all other gateways together.
    package func requestSharedBarrier(_ token: BarrierToken, at mark: Mark) throws -> Int {
        guard let record else { return try requestBarrier(token, at: mark) }
        let isElsewhere = try change { content -> Bool in
            guard content.holders.contains(where: { $0 != record.gateway }) else { return false }
            content.request(token, at: mark)
            return true
        }
        guard isElsewhere else { return try requestBarrier(token, at: mark) }
        // The streams here get it as those elsewhere do, so that none gets it twice.
        obey()
        return current.streams.count + 1
    }

    /// Tells other gateways that the set is in use.
    func tellUse() throws {
        let isDue = withState { state in
            defer { state.owesUse = false }
            return state.recordRevision != nil && (state.owesUse || !state.streams.isEmpty)
        }
        if isDue { try change { $0.uses += 1 } }
    }
}
