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
    fileprivate struct Join {
        let since: Version?
        /// Those who wait for what this observation begins with.
        var members: [any ChannelMember]
        /// The version at which it began.
        var start: Version?
        /// Whether the difference since `since` may still come.
        var isResuming = false
        var tokens: [LiveToken] = []
    }

    fileprivate struct State {
        var joins: [Int: Join] = [:]
        var lastJoin = 0
        /// The join whose observation goes on for all.
        var main: Int?
        /// Those who are told everything that becomes different, by `memberID`.
        var members: [ObjectIdentifier: any ChannelMember] = [:]
        /// Those among them whose streams are not in the group.
        var others: [ObjectIdentifier: any ChannelMember] = [:]
        /// What the members have been told leads to the state at this version.
        var position: Version?
    }

    let key: ChannelKey
    private let context: ChannelContext
    private let encoder: ChannelEncoder
    /// The members' plain streams, which are sent the same bytes.
    private let group = EventStreamGroup()
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
        let tokens = context.live.observe(key, since: version) { [weak self] event in self?.deliver(event, to: made) }
        // It may be over already; then the tokens go, and the observation with them.
        state.withLock { $0.joins[made]?.tokens = tokens }
    }

    /// Forgets a member. From any thread; an event that is being sent may still reach it.
    func leave(_ member: any ChannelMember) {
        let wasMember = state.withLock { state in
            if state.remove(member) { return true }
            for id in state.joins.keys { state.joins[id]?.members.removeAll { $0 === member } }
            return false
        }
        if wasMember, let stream = member.plainStream { group.leave(stream) }
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
        let event: EncodedEvent
        do {
            event = try encoder.initial(snapshot, content)
        } catch {
            return end(id, with: .error(context.problem(error)))
        }
        let (members, since) = admit(id, at: snapshot.version, isResuming: false)
        for member in members where give(event, to: member, since: since) {
            if let stream = member.plainStream { group.join(stream) }
        }
    }

    private func resume(_ id: Int, at version: Version) {
        for member in admit(id, at: version, isResuming: true).members {
            member.isAt(version)
            if let stream = member.plainStream { group.join(stream) }
        }
    }

    private func update(_ id: Int, _ version: Version, _ difference: ChannelEvent.Difference) {
        if let resumed = finishResuming(id, at: version) {
            guard !resumed.members.isEmpty else { return }
            do {
                let event = try encoder.update(difference, since: resumed.since)
                for member in resumed.members where !give(event, to: member, since: resumed.since) {
                    if let stream = member.plainStream { group.leave(stream) }
                }
            } catch {
                dismiss(resumed.members, with: .error(context.problem(error)))
            }
        } else if let (others, since) = advance(id, to: version) {
            do {
                let event = try encoder.update(difference)
                for stream in group.send(event.bytes) {
                    let late = state.withLock { $0.members.removeValue(forKey: ObjectIdentifier(stream)) }
                    late?.fallBehind(since: since)
                }
                for member in others { give(event, to: member, since: since) }
            } catch {
                dismiss(state.withLock { Array($0.members.values) }, with: .error(context.problem(error)))
            }
        }
    }

    /// Those who are to be told the difference that they resume with; nil when the join is not about to resume.
    private func finishResuming(_ id: Int, at version: Version) -> (members: [any ChannelMember], since: Version?)? {
        state.withLock { state in
            guard let join = state.joins[id], join.isResuming, join.start == version else { return nil }
            state.endResuming(id)
            return (join.members.filter { state.members[$0.memberID] != nil }, join.since)
        }
    }

    /// Moves the channel to a version if the join is the main one and somebody is to be told. Gives the members who
    /// are told one by one, and the version that all are at.
    private func advance(_ id: Int, to version: Version) -> (others: [any ChannelMember], since: Version?)? {
        state.withLock { state in
            guard state.main == id else {
                // It resumed with nothing to tell, and the main one goes on for it.
                state.joins[id] = nil
                return nil
            }
            state.endResuming(id)
            defer { state.position = version }
            return state.members.isEmpty ? nil : (Array(state.others.values), state.position)
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
            for (other, earlier) in state.joins where earlier.isResuming { state.endResuming(other) }
            state.joins[id]?.start = version
            state.joins[id]?.isResuming = isResuming
            if !isResuming { state.joins[id]?.members = [] }
            if state.main == nil {
                state.main = id
            } else if !isResuming {
                state.joins[id] = nil
            }
            for member in join.members { state.insert(member) }
            state.position = version
            return (join.members, join.since)
        }
    }

    /// Sends an event to one member; false when it did not take it and is no member any more.
    ///
    /// - Parameter since: what it is to join again from if it has no room.
    @discardableResult
    private func give(_ event: EncodedEvent, to member: any ChannelMember, since: Version?) -> Bool {
        let outcome = member.take(event)
        guard outcome != .queued else { return true }
        _ = state.withLock { $0.remove(member) }
        if outcome == .full { member.fallBehind(since: since) }
        return false
    }

    private func dismiss(_ members: [any ChannelMember], with ending: Ending) {
        state.withLock { state in
            for member in members { _ = state.remove(member) }
        }
        for member in members { member.end(with: ending) }
    }
}

extension ChannelMember {
    /// Tells members apart; streams that are behind are known by themselves.
    fileprivate var memberID: ObjectIdentifier { plainStream.map { ObjectIdentifier($0) } ?? ObjectIdentifier(self) }
}

extension Channel.State {
    fileprivate mutating func insert(_ member: any ChannelMember) {
        members[member.memberID] = member
        if member.plainStream == nil { others[member.memberID] = member }
    }

    /// False when it is no member.
    fileprivate mutating func remove(_ member: any ChannelMember) -> Bool {
        others[member.memberID] = nil
        return members.removeValue(forKey: member.memberID) != nil
    }

    /// Nothing more follows what a join resumed with.
    fileprivate mutating func endResuming(_ id: Int) {
        guard id == main else {
            joins[id] = nil
            return
        }
        joins[id]?.isResuming = false
        joins[id]?.members = []
    }
}
