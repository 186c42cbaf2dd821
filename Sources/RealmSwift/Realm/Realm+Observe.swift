import LiveQueries

extension Realm {
    /// What observers of a realm are told.
    public enum Notification: String, Sendable {
        /// The realm is at another version.
        case didChange = "RLMRealmDidChangeNotification"
        /// There is a newer version, and `autorefresh` is off.
        case refreshRequired = "RLMRealmRefreshRequiredNotification"
    }

    /// Calls the block when the realm is at another version: within `commitWrite` for its own commits, else when the
    /// version is taken up. Traps for read-only and frozen realms, and on threads without a run loop.
    public func observe(
        _ block: @escaping (_ notification: Notification, _ realm: Realm) -> Void
    ) -> NotificationToken {
        raising {
            let token = try rlm.live.observeInstance { [rlm] event in
                block(event == .didChange ? .didChange : .refreshRequired, Realm(rlm))
            }
            return NotificationToken(token)
        }
    }
}
