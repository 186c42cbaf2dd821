import Foundation

/// The realms that the calling thread opened last, by their configurations, so that opening one again costs a look-up.
enum ThreadRealms {
    private struct Entry {
        let stamp: Realm.Configuration.Stamp
        /// What the configuration says, without its blocks, which this does not keep alive.
        let content: Realm.Configuration
        weak var realm: RLMRealm?

        init(_ realm: RLMRealm, _ configuration: Realm.Configuration) {
            stamp = configuration.stamp
            var content = configuration
            content.migrationBlock = nil
            content.shouldCompactOnLaunch = nil
            self.content = content
            self.realm = realm
        }
    }

    /// Accessed by its own thread only.
    private final class Entries {
        var entries: [Entry] = []
    }

    private static let limit = 8

    private static let key = {
        var key = pthread_key_t()
        pthread_key_create(&key) { entries in entries.map { Unmanaged<Entries>.fromOpaque($0).release() } }
        return key
    }()

    private static var own: Entries? {
        pthread_getspecific(key).map { Unmanaged<Entries>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Returns the thread's open realm of a configuration that has not been changed since; nil if it is not known.
    static func known(_ configuration: Realm.Configuration) -> RLMRealm? {
        guard let own else { return nil }
        // A copy is found by its stamp, and one that was made again by its contents.
        guard
            let entry = own.entries.first(where: { $0.stamp === configuration.stamp })
                ?? own.entries.first(where: { $0.content.opens(asIfBy: configuration) }),
            let realm = entry.realm, realm.isConfinedHere
        else { return nil }
        return realm
    }

    /// Remembers a realm that the calling thread has opened with the configuration.
    static func note(_ realm: RLMRealm, _ configuration: Realm.Configuration) {
        let entries =
            own
            ?? {
                let made = Entries()
                pthread_setspecific(key, Unmanaged.passRetained(made).toOpaque())
                return made
            }()
        entries.entries.removeAll { $0.realm == nil || $0.stamp === configuration.stamp }
        if entries.entries.count == limit { entries.entries.removeFirst() }
        entries.entries.append(Entry(realm, configuration))
    }
}
