import JSONCoding
import ObjectModel

/// A decoded event of the gateway's subscription stream.
struct SyncEvent: Sendable {
    enum Content: Sendable {
        case initial(number: Int, items: [JSONValue])
        /// Deletions are positions before the change; insertions are positions after it.
        case update(number: Int, deletions: [Int], insertions: [Int], inserted: [JSONValue], modified: [JSONValue])
        case failed(number: Int, code: String, message: String)
        /// The answer to a barrier of this client: everything before it has arrived.
        case barrier(String)
        case closing
        case other
    }

    var content: Content
    var version: UInt64
    var position: String?

    /// Throws for data that is not JSON.
    init(_ event: ServerEvent) throws {
        let json = try JSONValue.parse(event.data)
        version = UInt64(clamping: json.int("version"))
        position = event.id
        let label = json.text("subscription") ?? ""
        if label.hasPrefix("barrier-") {
            content = event.name == "initial" ? .barrier(label) : .other
            return
        }
        guard label.hasPrefix("n"), let number = Int(label.dropFirst()) else {
            content = event.name == "closing" ? .closing : .other
            return
        }
        switch event.name {
        case "initial": content = .initial(number: number, items: json.array("items"))
        case "update":
            content = .update(
                number: number, deletions: json.positions("deletions"), insertions: json.positions("insertions"),
                inserted: json["objects"]?.array("insertions") ?? [],
                modified: json["objects"]?.array("modifications") ?? [])
        case "error":
            content = .failed(
                number: number, code: json.text("code") ?? "",
                message: json.text("detail") ?? "The gateway rejected the query.")
        default: content = .other
        }
    }

    /// The version up to which all subscriptions are reported; see the gateway's event ids,
    /// `41-0a1b2c3d.17;3=40-0a1b2c3d`.
    var reached: UInt64? {
        guard let position else { return nil }
        let parts = position.split(separator: ";")
        guard let base = parts.first?.split(separator: ".").first.flatMap(Self.version) else { return nil }
        return parts.dropFirst().reduce(base) { least, part in
            min(least, part.split(separator: "=").last.flatMap(Self.version) ?? 0)
        }
    }

    /// Returns 0 for a subscription that has not been reported, which has no mark.
    private static func version(_ text: Substring) -> UInt64? { Mark(text)?.version.rawValue ?? UInt64(text) }
}

extension JSONValue {
    fileprivate func positions(_ name: String) -> [Int] {
        array(name).compactMap { position in
            if case .int(let number) = position { Int(number) } else { nil as Int? }
        }
    }
}
