import HTTPServer
import JSONCoding
import ObjectCoding
import ObjectModel
import StoreContract

/// What the gateways of a realm tell each other of a snapshot: whose it is, and for how long it is kept.
///
/// `{"owner": […], "account": […], "seconds": 60, "expires": [1700000000, 0]}`. The clocks of gateways may differ, so
/// each keeps the snapshot for the seconds from when it hears of it; the time of expiry is only shown.
struct SnapshotPin: Hashable, Sendable {
    let owner: FrozenVersion.Owner
    let account: LimitKey
    let seconds: Int
    let expires: Timestamp

    var encoded: [UInt8] {
        let json = JSONWriter(capacity: 128)
        func strings(_ name: String, _ values: [String]) {
            json.name(name)
            json.beginArray()
            for value in values { json.string(value) }
            json.endArray()
        }
        json.beginObject()
        strings("owner", owner.words)
        strings("account", account.words)
        json.name("seconds")
        json.int(seconds)
        json.name("expires")
        json.beginArray()
        json.int(expires.seconds)
        json.int(Int(expires.nanoseconds))
        json.endArray()
        json.endObject()
        return json.bytes
    }

    init(owner: FrozenVersion.Owner, account: LimitKey, seconds: Int, expires: Timestamp) {
        self.owner = owner
        self.account = account
        self.seconds = seconds
        self.expires = expires
    }

    /// Nil for bytes that `encoded` does not have.
    init?(_ bytes: [UInt8]) {
        guard let json = try? JSONValue.parse(bytes), let owner = FrozenVersion.Owner(words: Self.words(json["owner"])),
            let account = LimitKey(words: Self.words(json["account"])), case .int(let seconds)? = json["seconds"],
            seconds > 0, case .array(let parts)? = json["expires"], parts.count == 2, case .int(let second) = parts[0],
            case .int(let rest) = parts[1], let nanoseconds = Int32(exactly: rest),
            let expires = Timestamp(seconds: second, nanoseconds: nanoseconds)
        else { return nil }
        self.init(owner: owner, account: account, seconds: Int(seconds), expires: expires)
    }

    private static func words(_ json: JSONValue?) -> [String] {
        guard case .array(let values)? = json else { return [] }
        return values.compactMap { value in
            if case .string(let text) = value { text } else { nil }
        }
    }
}

extension FrozenVersion.Owner {
    fileprivate var words: [String] {
        switch self {
        case .key(let id): ["key", id]
        case .subject(let subject): ["subject", subject]
        case .other(let digest): ["other", digest]
        }
    }

    fileprivate init?(words: [String]) {
        guard words.count == 2 else { return nil }
        switch words[0] {
        case "key": self = .key(words[1])
        case "subject": self = .subject(words[1])
        case "other": self = .other(words[1])
        default: return nil
        }
    }
}

extension LimitKey {
    fileprivate var words: [String] {
        switch self {
        case .address(let address): ["address", String(address)]
        case .network(let network): ["network", String(network)]
        case .caller(let name): ["caller", name]
        }
    }

    fileprivate init?(words: [String]) {
        guard words.count == 2 else { return nil }
        switch words[0] {
        case "address":
            guard let address = UInt32(words[1]) else { return nil }
            self = .address(address)
        case "network":
            guard let network = UInt64(words[1]) else { return nil }
            self = .network(network)
        case "caller": self = .caller(words[1])
        default: return nil
        }
    }
}
