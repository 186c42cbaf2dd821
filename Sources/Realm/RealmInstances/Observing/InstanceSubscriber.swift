/// A notification to an instance's own observers: it is at another version, or a newer one exists.
package enum InstanceEvent: Hashable, Sendable {
    /// Within the commit for the instance's own, otherwise when the instance moves to the version.
    case didChange
    /// A newer version waits for `refresh`, because `autorefresh` is off.
    case refreshRequired
}

/// An observer of the instance itself.
struct InstanceSubscriber {
    let flag: InstanceToken.Flag
    let block: (InstanceEvent) -> Void
}

extension InstanceCore {
    /// Notifications are relative to a version; the instance moves to the newest one now if it has none.
    func addSubscriber(_ flag: InstanceToken.Flag, _ block: @escaping (InstanceEvent) -> Void) throws -> Int {
        _ = try snapshot()
        let order = takeOrder()
        subscribers[order] = InstanceSubscriber(flag: flag, block: block)
        return order
    }

    /// Notifies the observers of the instance itself, except the muted ones.
    func ring(_ event: InstanceEvent, except muted: Set<Int> = []) {
        for order in subscribers.keys.sorted() where !muted.contains(order) {
            guard let subscriber = subscribers[order], subscriber.flag.isSet else { continue }
            call { subscriber.block(event) }
        }
    }
}
