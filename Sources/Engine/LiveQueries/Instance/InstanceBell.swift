/// What an instance's own observers are told: that it is at another version, or that there is one.
package enum InstanceEvent: Hashable, Sendable {
    /// Within the commit for the instance's own, else when the version is taken up.
    case didChange
    /// A newer version waits for `refresh`, because `autorefresh` is off.
    case refreshRequired
}

/// An observer of the instance itself.
struct InstanceBell {
    let flag: InstanceToken.Flag
    let block: (InstanceEvent) -> Void
}

extension InstanceCore {
    /// What is told is relative to a version, which is taken up now if there is none.
    func addBell(_ flag: InstanceToken.Flag, _ block: @escaping (InstanceEvent) -> Void) throws -> Int {
        _ = try snapshot()
        let order = takeOrder()
        bells[order] = InstanceBell(flag: flag, block: block)
        return order
    }

    /// Tells the observers of the instance itself, but for some.
    func ring(_ event: InstanceEvent, except muted: Set<Int> = []) {
        for order in bells.keys.sorted() where !muted.contains(order) {
            guard let bell = bells[order], bell.flag.isSet else { continue }
            call { bell.block(event) }
        }
    }
}
