import Dispatch
import Files
import Glibc
import JSONCoding
import Logging
import ObjectModel
import Synchronization

/// The file in which subscription sets survive a restart. It is replaced as a whole, so it is always complete.
///
/// `{"format": 1, "sets": [{"name", "owner"?, "revision", "lastID", "subscriptions": [{"id", "name"?, "revision",
/// "createdAt", "updatedAt", "class", …}]}]}`, dates in milliseconds.
final class SubscriptionFile: Sendable {
    private struct State {
        /// Called when the present state has been written.
        var waiting: [@Sendable () -> Void] = []
        var isScheduled = false
    }

    private let path: String
    private let logger: Logger
    private let queue = DispatchQueue(label: "realmgate.subscriptions.file")
    private let state = Mutex(State())

    init(_ path: String, _ logger: Logger) {
        self.path = path
        self.logger = logger
    }

    /// Writes the result of `content` soon, on another thread, and then calls `action`. One write may serve several
    /// calls. An error is logged: the sets still exist until the next restart.
    func save(_ content: @escaping @Sendable () -> [SubscriptionSet], then action: @escaping @Sendable () -> Void) {
        let mustSchedule = state.withLock { state in
            state.waiting.append(action)
            defer { state.isScheduled = true }
            return !state.isScheduled
        }
        guard mustSchedule else { return }
        queue.async { [self] in
            let waiting = state.withLock { state in
                state.isScheduled = false
                defer { state.waiting = [] }
                return state.waiting
            }
            do {
                try WholeFile.replace(path, with: Self.document(content()))
            } catch {
                logger.error(
                    "The subscriptions could not be saved.", metadata: ["file": "\(path)", "error": "\(error)"])
            }
            for action in waiting { action() }
        }
    }

    /// Loads the saved sets. An unreadable file is renamed to `FILE.damaged`.
    func load(_ now: Timestamp, largest: Int) -> [SubscriptionSet] {
        do {
            guard let bytes = try WholeFile.read(path) else { return [] }
            return try Self.sets(try JSONValue.parse(bytes), now, largest: largest)
        } catch {
            logger.error(
                "The saved subscriptions are damaged and were renamed.",
                metadata: ["file": "\(path).damaged", "error": "\(error)"])
            rename(path, path + ".damaged")
            return []
        }
    }

    private static func document(_ sets: [SubscriptionSet]) -> [UInt8] {
        let json = JSONWriter(capacity: 4096)
        json.beginObject()
        json.name("format")
        json.int(1)
        json.name("sets")
        json.beginArray()
        for set in sets {
            json.beginObject()
            json.name("name")
            json.string(set.name)
            if let owner = set.id.owner {
                json.name("owner")
                json.string(owner)
            }
            set.current.content.write(into: json)
            json.endObject()
        }
        json.endArray()
        json.endObject()
        return json.bytes
    }

    private static func sets(_ json: JSONValue, _ now: Timestamp, largest: Int) throws -> [SubscriptionSet] {
        guard json["format"] == .int(1), case .array(let sets)? = json["sets"] else { throw Damage() }
        return try sets.map { json in
            guard case .string(let name)? = json["name"] else { throw Damage() }
            var owner: String?
            if case .string(let text)? = json["owner"] { owner = text }
            return SubscriptionSet(
                SubscriptionSetID(owner, name), try SetContent(json), lastUse: now, largest: largest)
        }
    }

    private struct Damage: Error {}
}
