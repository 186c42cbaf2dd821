import Dispatch
import HTTPServer
import ObjectModel
import StoreContract
import Synchronization

/// Large events, which members are sent on workers' threads, each as fast as it reads. Meanwhile they are no members; when
/// they have been sent the last part, they join again from the version that it leads to.
extension Topic {
    /// Sends an event to those who were members.
    ///
    /// - Parameter since: the version that they are at.
    func send(_ event: LargeEvent, toMembers members: [any TopicMember], since: Version?) {
        state.withLock { state in
            for member in members {
                _ = state.remove(member)
                state.receiving.insert(ObjectIdentifier(member))
            }
        }
        for member in members {
            if let stream = member.plainStream { group.leave(stream) }
        }
        guard !members.isEmpty else { return }
        context.workers.run(for: members.first?.caller) { [self] in
            for member in members { send(Delivery(event: event, since: since), to: member) }
        }
    }

    /// Goes on with a member that has room again.
    func goOn(_ delivery: Delivery, with member: any TopicMember) {
        context.workers.run(for: member.caller) { [self] in send(delivery, to: member) }
    }

    /// Sends parts as long as there is room for them.
    func send(_ delivery: Delivery, to member: any TopicMember) {
        var delivery = delivery
        let id = ObjectIdentifier(member)
        do {
            while state.withLock({ $0.receiving.contains(id) }) {
                guard member.findsRoom() else {
                    // What has not begun is not kept: it may be out of date by then.
                    guard delivery.next == 0 else { return member.fallBehind(in: delivery) }
                    state.withLock { _ = $0.receiving.remove(id) }
                    return member.fallBehind(since: delivery.since)
                }
                guard let part = try delivery.event.part(delivery.next) else {
                    // Clients take what is there, or are cut off.
                    let rest = delivery
                    DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(100)) { [self] in
                        goOn(rest, with: member)
                    }
                    return
                }
                let outcome = part.isLast ? member.begin(with: part.event) : member.take(part: part.event)
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
            // It read so slowly that its version has gone.
            joinAgain(member, since: nil)
        } catch {
            state.withLock { _ = $0.receiving.remove(id) }
            member.end(with: .error(context.problem(error)))
        }
    }

    private func joinAgain(_ member: any TopicMember, since version: Version?) {
        // It may have left meanwhile, and must not come in again then.
        let made = state.withLock { state -> Int? in
            guard state.receiving.remove(ObjectIdentifier(member)) != nil else { return nil }
            return state.wait(member, since: version)
        }
        if let made { observe(made, since: version) }
    }
}
