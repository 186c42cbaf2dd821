import Dispatch
import FairScheduling
import HTTPServer
import ObjectModel
import StoreContract
import Synchronization

/// Large events are sent on worker threads, to each member as fast as it reads. Meanwhile it is not a member; after the
/// last part it joins again from the event's version.
extension Topic {
    /// Sends an event to former members.
    ///
    /// - Parameter since: their version.
    func send(_ event: LargeEvent, toMembers members: [any TopicMember], since: Version?) {
        state.withLock { state in
            for member in members {
                _ = state.remove(member)
                state.receiving.insert(ObjectIdentifier(member))
            }
        }
        for member in members {
            if let stream = member.plainStream { group.leave(stream) }
            member.willTakeParts(since: since)
        }
        guard !members.isEmpty else { return }
        context.workers.run(for: members.first?.caller) { [self] in
            for member in members { send(Delivery(event: event, since: since), to: member) }
        }
    }

    /// Continues with a member that has room again.
    package func proceed(_ delivery: Delivery, with member: any TopicMember) {
        context.workers.run(for: member.caller) { [self] in send(delivery, to: member) }
    }

    /// Sends parts as long as there is room for them.
    func send(_ delivery: Delivery, to member: any TopicMember) {
        var delivery = delivery
        let id = ObjectIdentifier(member)
        do {
            while state.withLock({ $0.receiving.contains(id) }) {
                guard member.findsRoom() else {
                    // A delivery that has not begun is not kept: it may be outdated by then.
                    guard delivery.next == 0 else { return member.fallBehind(in: delivery) }
                    state.withLock { _ = $0.receiving.remove(id) }
                    return member.fallBehind(since: delivery.since)
                }
                guard let part = try part(of: delivery) else {
                    // Clients read the pending data, or are disconnected.
                    let rest = delivery
                    DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(100)) { [self] in
                        proceed(rest, with: member)
                    }
                    return
                }
                let outcome = part.isLast ? member.begin(with: part.event) : member.receive(part: part.event)
                switch outcome {
                case .full: continue
                case .closed:
                    state.withLock { _ = $0.receiving.remove(id) }
                    return
                case .queued: break
                }
                delivery.next += 1
                if part.isLast { return joinAgain(member, since: delivery.event.version) }
            }
        } catch let error as StoreError where error.code == .versionGone {
            // It read so slowly that its version no longer exists.
            joinAgain(member, since: nil)
        } catch {
            state.withLock { _ = $0.receiving.remove(id) }
            member.end(with: .error(context.problem(error)))
        }
    }

    /// Returns the next part; nil if there is no memory for it now, or the last client has left, which the caller
    /// checks.
    private func part(of delivery: Delivery) throws -> (event: EncodedEvent, isLast: Bool)? {
        do {
            return try counted { try delivery.event.part(delivery.next) }
        } catch let error as StoreError where error == .abandoned {
            return nil
        }
    }

    private func joinAgain(_ member: any TopicMember, since version: Version?) {
        // It may have left meanwhile, and must not be added again.
        let made = state.withLock { state -> Int? in
            guard state.receiving.remove(ObjectIdentifier(member)) != nil else { return nil }
            return state.wait(member, since: version)
        }
        if let made { observe(made, since: version) }
    }
}
