import HTTPMessages
import HTTPServer
import JSONCoding
import RequestHandling
import StoreTesting
import TestBasics
import Testing

/// A change of an object, as `GET /v1/history/…` describes it, without mark and time.
struct HistoryChange: Equatable, CustomStringConvertible {
    var version: Int
    var kind: String
    /// `old` and `new` by the names of properties.
    var properties: [String: [String: JSONValue]]

    /// The difference between two states of an object; nil for none.
    init?(_ version: Int, from old: JSONValue?, to new: JSONValue?) {
        guard old != new else { return nil }
        self.version = version
        kind = old == nil ? "created" : new == nil ? "deleted" : "modified"
        properties = [:]
        let (before, after) = (Self.members(old), Self.members(new))
        for name in Set(before.keys).union(after.keys) where before[name] != after[name] {
            var sides: [String: JSONValue] = [:]
            sides["old"] = before[name]
            sides["new"] = after[name]
            properties[name] = sides
        }
    }

    init?(_ item: JSONValue) {
        guard let version = item["version"]?.asInt, let kind = item["kind"]?.asString else { return nil }
        self.version = version
        self.kind = kind
        properties = Self.members(item["properties"]).mapValues { Self.members($0) }
    }

    private static func members(_ value: JSONValue?) -> [String: JSONValue] {
        guard case .object(let object)? = value else { return [:] }
        return Dictionary(uniqueKeysWithValues: object.members.map { ($0.name, $0.value) })
    }

    var description: String { "\(version) \(kind) \(properties.sorted { $0.key < $1.key })" }
}

extension Wire {
    /// Reads all pages of an object's history. Checks that each has at most `limit` changes, in descending order, and
    /// that only the last says where the history begins.
    func history(_ target: String, limit: Int) throws -> (
        changes: [HistoryChange], items: [JSONValue], begins: JSONValue
    ) {
        var items: [JSONValue] = []
        var after = ""
        while true {
            let page = try send(.get, "/v1/history/objects/\(target)?limit=\(limit)\(after)")
            guard page.status == 200 else { throw WireFailure("\(target): \(page)") }
            #expect(page.rows.count <= limit)
            items += page.rows
            guard let next = page["next"]?.asString else {
                let changes = items.compactMap { HistoryChange($0) }
                #expect(changes.count == items.count, "\(items)")
                #expect(changes.map(\.version) == changes.map(\.version).sorted(by: >))
                return (changes, items, page["begins"] ?? .null)
            }
            #expect(page["begins"] == nil)
            after = "&after=" + next
        }
    }
}

/// The states of some objects after each version, as reads return them.
struct HistoryRecorder {
    private let wire: Wire
    private let targets: [String]
    private var states: [Int: [String: JSONValue]] = [:]

    init(_ wire: Wire, _ targets: [String]) throws {
        self.wire = wire
        self.targets = targets
        try note()
    }

    /// Reads all objects at the present version.
    mutating func note() throws {
        let version = try wire.version()
        guard states[version] == nil else { return }
        var objects: [String: JSONValue] = [:]
        for target in targets {
            let answer = try wire.send(.get, "/v1/objects/\(target)")
            if answer.status == 200 { objects[target] = answer.json }
        }
        states[version] = objects
    }

    /// What changed between the recorded versions, newest first.
    func changes(of target: String) -> [HistoryChange] {
        states.keys.sorted(by: >).compactMap { version in
            guard let before = states[version - 1], let after = states[version] else { return nil }
            return HistoryChange(version, from: before[target], to: after[target])
        }
    }

    /// The first recorded version.
    var first: Int { states.keys.min() ?? 0 }
}
