import HTTPServer
import LiveQueries
import ObjectModel
import StoreContract
import Synchronization

/// One observation shared by all who ask for the same, with each event encoded once.
///
/// A member joins by an observation of its own, which tells it the state or what it missed, and is a member from the
/// version that this is at: observations are told one after the other on one thread, and all of them are at one
/// version. From then on it is told what the first of these observations, the main one, is told; its own ends.
final class Channel: Sendable {
    /// An observation by which members join. Those that join from the same version do so together.
    private struct Join {
        let since: Version?
        /// Those who wait for what this observation begins with.
        var members: [any ChannelMember]
        /// The version at which it began.
        var start: Version?
        /// Whether the difference since `since` may still come.
        var isResuming = false
        var token: LiveToken?
    }

    private struct State {
        var joins: [Int: Join] = [:]
        var lastJoin = 0
        /// The join whose observation goes on for all.
        var main: Int?
        /// Those who are told everything that becomes different.
        var members: [ObjectIdentifier: any ChannelMember] = [:]
        /// What the members have been told leads to the state at this version.
        var position: Version?
    }

    let key: ChannelKey
    private let context: ChannelContext
    private let encoder: ChannelEncoder
    private let state = Mutex(State())

    init(_ key: ChannelKey, _ context: ChannelContext) {
        self.key = key
        self.context = context
        encoder = ChannelEncoder(key, largest: context.largest)
    }

    /// Tells a member the state, or what it missed since a version that it knows, and everything from then on. From
    /// any thread.
    func join(_ member: any ChannelMember, since version: Version?) {
        let made: Int? = state.withLock { state in
            // Those that wait for the same are told the same.
            if let waiting = state.joins.first(where: { $0.value.start == nil && $0.value.since == version })?.key {
                state.joins[waiting]?.members.append(member)
                return nil
            }
            state.lastJoin += 1
            state.joins[state.lastJoin] = Join(since: version, members: [member])
            return state.lastJoin
        }
        guard let made else { return }
        let token = context.live.observe(key, since: version) { [weak self] event in self?.deliver(event, to: made) }
        // It may be over already; then the token goes, and the observation with it.
        state.withLock { $0.joins[made]?.token = token }
    }

    /// Forgets a member. From any thread; an event that is being sent may still reach it.
    func leave(_ member: any ChannelMember) {
        state.withLock { state in
            guard state.members.removeValue(forKey: ObjectIdentifier(member)) == nil else { return }
            for id in state.joins.keys { state.joins[id]?.members.removeAll { $0 === member } }
        }
    }
}

/// What channels need of the gateway.
struct ChannelContext: Sendable {
    let live: LiveQueries
    /// Most rows to begin with.
    let largest: Int
    /// What to tell of an error.
    let problem: @Sendable (any Error) -> Problem
    /// The version that the store is at.
    let version: @Sendable () throws -> Version
}

// On the live queries' thread.
extension Channel {
    private func deliver(_ event: ChannelEvent, to id: Int) {
        switch event {
        case .initial(let snapshot, let content): begin(id, snapshot, content)
        case .resumed(let version): resume(id, at: version)
        case .update(let version, let difference): update(id, version, difference)
        case .deleted(let version): end(id, with: .deleted(version))
        case .failed(let error as StoreError) where error.code == .notFound:
            // It went between the look at it and the observation.
            do {
                end(id, with: .deleted(try context.version()))
            } catch {
                end(id, with: .error(context.problem(error)))
            }
        case .failed(let error): end(id, with: .error(context.problem(error)))
        }
    }

    private func begin(_ id: Int, _ snapshot: any Snapshot, _ content: ChannelEvent.Content) {
        // What they have heard of leads here.
        if state.withLock({ $0.joins[id]?.since == snapshot.version }) { return resume(id, at: snapshot.version) }
        let event: EncodedEvent
        do {
            event = try encoder.initial(snapshot, content)
        } catch {
            return end(id, with: .error(context.problem(error)))
        }
        let (members, since) = admit(id, at: snapshot.version, isResuming: false)
        give(event, to: members, since: since)
    }

    private func resume(_ id: Int, at version: Version) {
        for member in admit(id, at: version, isResuming: true).members { member.isAt(version) }
    }

    private func update(_ id: Int, _ version: Version, _ difference: ChannelEvent.Difference) {
        let (members, since, isResumption): ([any ChannelMember], Version?, Bool) = state.withLock { state in
            guard let join = state.joins[id] else { return ([], nil, false) }
            if join.isResuming, join.start == version {
                state.joins[id]?.isResuming = false
                state.joins[id]?.members = []
                if state.main != id { state.joins[id] = nil }
                return (join.members.filter { state.members[ObjectIdentifier($0)] != nil }, join.since, true)
            }
            guard state.main == id else {
                // It resumed with nothing to tell, and the main one goes on for it.
                state.joins[id] = nil
                return ([], nil, false)
            }
            state.joins[id]?.isResuming = false
            state.joins[id]?.members = []
            defer { state.position = version }
            return (Array(state.members.values), state.position, false)
        }
        guard !members.isEmpty else { return }
        do {
            give(try encoder.update(difference, since: isResumption ? since : nil), to: members, since: since)
        } catch {
            dismiss(members, with: .error(context.problem(error)))
        }
    }

    /// Ends what the join's observation goes on for: those that wait for its beginning, or everybody.
    private func end(_ id: Int, with ending: Ending) {
        let members: [any ChannelMember] = state.withLock { state in
            let join = state.joins.removeValue(forKey: id)
            guard state.main == id else { return join?.start == nil ? join?.members ?? [] : [] }
            state.main = nil
            return Array(state.members.values)
        }
        dismiss(members, with: ending)
    }

    /// Makes those who wait for the join members, and its observation the main one if there is none yet.
    private func admit(
        _ id: Int, at version: Version, isResuming: Bool
    ) -> (members: [any ChannelMember], since: Version?) {
        state.withLock { state in
            guard let join = state.joins[id] else { return ([], nil) }
            // The difference that a join resumes with comes at once if at all.
            for (other, earlier) in state.joins where earlier.isResuming {
                if other == state.main {
                    state.joins[other]?.isResuming = false
                    state.joins[other]?.members = []
                } else {
                    state.joins[other] = nil
                }
            }
            state.joins[id]?.start = version
            state.joins[id]?.isResuming = isResuming
            if !isResuming { state.joins[id]?.members = [] }
            if state.main == nil {
                state.main = id
            } else if !isResuming {
                state.joins[id] = nil
            }
            for member in join.members { state.members[ObjectIdentifier(member)] = member }
            state.position = version
            return (join.members, join.since)
        }
    }

    /// - Parameter since: what those who have no room for the event are to join again from.
    private func give(_ event: EncodedEvent, to members: [any ChannelMember], since: Version?) {
        for member in members {
            let outcome = member.take(event)
            guard outcome != .queued else { continue }
            _ = state.withLock { $0.members.removeValue(forKey: ObjectIdentifier(member)) }
            if outcome == .full { member.fallBehind(since: since) }
        }
    }

    private func dismiss(_ members: [any ChannelMember], with ending: Ending) {
        state.withLock { state in
            for member in members { state.members[ObjectIdentifier(member)] = nil }
        }
        for member in members { member.end(with: ending) }
    }
}
