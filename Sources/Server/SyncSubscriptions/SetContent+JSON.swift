import JSONCoding
import ObjectModel
import WireProtocol

/// `"revision", "lastID", "subscriptions": [{"id", "name"?, "revision", "createdAt", "updatedAt", "class", …}]`, and of
/// shared sets `"holders"?: [NAME], "uses"?, "barriers"?: [{"number", "token", "mark"}]`; dates in milliseconds.
extension SetContent {
    /// Writes it as members of an object.
    func write(into json: JSONWriter) {
        json.name("revision")
        json.int(revision)
        json.name("lastID")
        json.int(lastID)
        json.name("subscriptions")
        json.beginArray()
        for subscription in subscriptions { Self.write(subscription, json) }
        json.endArray()
        if !holders.isEmpty {
            json.name("holders")
            json.beginArray()
            for holder in holders { json.string(holder) }
            json.endArray()
        }
        if uses > 0 {
            json.name("uses")
            json.int(uses)
        }
        guard !barriers.isEmpty else { return }
        json.name("barriers")
        json.beginArray()
        for barrier in barriers {
            json.beginObject()
            json.name("number")
            json.int(barrier.number)
            json.name("token")
            json.string(barrier.token.text)
            json.name("mark")
            json.string(barrier.mark.description)
            json.endObject()
        }
        json.endArray()
    }

    private static func write(_ subscription: Subscription, _ json: JSONWriter) {
        json.beginObject()
        json.name("id")
        json.int(subscription.id)
        if let name = subscription.name {
            json.name("name")
            json.string(name)
        }
        json.name("revision")
        json.int(subscription.revision)
        for (name, date) in [("createdAt", subscription.createdAt), ("updatedAt", subscription.updatedAt)] {
            json.name(name)
            json.int(UInt64.revision(at: date))
        }
        subscription.query.write(into: json)
        json.endObject()
    }

    /// Throws for members that `write` does not write.
    init(_ json: JSONValue) throws {
        self.init(revision: UInt64(try Self.number("revision", json)))
        guard case .array(let saved)? = json["subscriptions"] else { throw Damage() }
        lastID = try Self.number("lastID", json)
        subscriptions = try saved.map { try Self.subscription($0) }
        if case .array(let names)? = json["holders"] {
            for name in names {
                guard case .string(let text) = name else { throw Damage() }
                add(holder: text)
            }
        }
        if json["uses"] != nil { uses = try Self.number("uses", json) }
        guard case .array(let requested)? = json["barriers"] else { return }
        barriers = try requested.map { json in
            guard case .string(let name)? = json["token"], let token = BarrierToken(name),
                case .string(let text)? = json["mark"], let mark = Mark(text)
            else { throw Damage() }
            return SharedBarrier(number: try Self.number("number", json), token: token, mark: mark)
        }
    }

    private static func subscription(_ json: JSONValue) throws -> Subscription {
        guard case .object(let members) = json else { throw Damage() }
        var name: String?
        if case .string(let text)? = json["name"] { name = text }
        return Subscription(
            id: try number("id", json), name: name, query: try SubscriptionQuery(members), key: nil,
            createdAt: try date("createdAt", json), updatedAt: try date("updatedAt", json),
            revision: UInt64(try number("revision", json)))
    }

    private static func number(_ name: String, _ json: JSONValue) throws(Damage) -> Int {
        guard case .int(let number)? = json[name], number >= 0 else { throw Damage() }
        return Int(number)
    }

    private static func date(_ name: String, _ json: JSONValue) throws(Damage) -> Timestamp {
        let milliseconds = try number(name, json)
        return Timestamp(
            seconds: Int64(milliseconds / 1000), nanoseconds: Int32(milliseconds % 1000) * 1_000_000) ?? .epoch
    }

    private struct Damage: Error {}
}
