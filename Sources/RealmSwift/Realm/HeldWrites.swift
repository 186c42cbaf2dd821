import Foundation

/// Realms with an open write on the main thread are kept until the write or the turn of the main run loop ends, whichever
/// comes first, as Apple's autorelease pool keeps them: `try! Realm().beginWrite()` leaves a write open for the next
/// `try! Realm()`. Elsewhere a write ends with its realm.
enum HeldWrites {
    // Only the main thread comes to these two.
    nonisolated(unsafe) private static var realms: [ObjectIdentifier: RLMRealm] = [:]
    nonisolated(unsafe) private static var isReleasing = false

    static func hold(_ realm: RLMRealm) {
        guard Thread.isMainThread, realm.file != nil else { return }
        realms[ObjectIdentifier(realm)] = realm
        guard !isReleasing else { return }
        isReleasing = true
        RunLoop.main.perform {
            isReleasing = false
            realms = [:]
        }
    }

    static func release(_ realm: RLMRealm) {
        guard Thread.isMainThread, !realms.isEmpty else { return }
        realms[ObjectIdentifier(realm)] = nil
    }
}
