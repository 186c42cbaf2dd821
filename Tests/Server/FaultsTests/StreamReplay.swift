import Foundation
import ProgramTesting

/// The state of a client of an event stream: it starts from `initial` and applies the updates.
struct StreamReplay {
    enum Kind: Sendable {
        case collection
        case sections
    }

    let kind: Kind
    /// Each item as JSON with sorted keys, so that equal items have equal texts.
    private(set) var items: [String]?
    private(set) var sections: [Section]?
    private(set) var version: UInt64?
    /// The id of the last event.
    private(set) var mark: String?
    private(set) var updates = 0
    private(set) var initials = 0

    struct Section: Equatable {
        var key: String
        var items: [String]
    }

    init(_ kind: Kind) { self.kind = kind }

    /// Throws if the event violates the protocol.
    mutating func apply(_ event: StreamEvent) throws {
        let json = try event.json()
        guard event.name == "initial" || event.name == "update" else {
            throw TestFailure("an event '\(event.name)': \(event.data)")
        }
        guard let mark = event.id, let id = (json["version"] as? NSNumber)?.uint64Value, mark.hasPrefix("\(id)-") else {
            throw TestFailure("the id \(String(describing: event.id)) is not the version of \(event.data)")
        }
        if event.name == "initial" {
            initials += 1
            switch kind {
            case .collection: items = try Self.texts(json["items"])
            case .sections:
                sections = try (json["sections"] as? [[String: Any]] ?? []).map {
                    Section(key: try Self.text($0["key"]), items: try Self.texts($0["items"]))
                }
            }
        } else {
            updates += 1
            guard let version, id > version else { throw TestFailure("version \(id) after \(version ?? 0)") }
            switch kind {
            case .collection: try updateItems(json)
            case .sections: try updateSections(json)
            }
        }
        version = id
        self.mark = mark
    }

    private mutating func updateItems(_ json: [String: Any]) throws {
        guard var list = items else { throw TestFailure("an update before the initial event") }
        let objects = json["objects"] as? [String: Any] ?? [:]
        let old = try Self.indices(json["modifications"])
        let modified = try Self.texts(objects["modifications"])
        let deletions = try Self.indices(json["deletions"])
        let insertions = try Self.indices(json["insertions"])
        let inserted = try Self.texts(objects["insertions"])
        guard old.count == modified.count, insertions.count == inserted.count,
            !(old.isEmpty && deletions.isEmpty && insertions.isEmpty)
        else { throw TestFailure("the parts of an update do not fit: \(json)") }
        for (index, item) in zip(old, modified) {
            guard list.indices.contains(index) else { throw TestFailure("no item \(index) in \(list.count)") }
            list[index] = item
        }
        for index in deletions.reversed() {
            guard list.indices.contains(index) else { throw TestFailure("no item \(index) in \(list.count)") }
            list.remove(at: index)
        }
        for (index, item) in zip(insertions, inserted) {
            guard index <= list.count else { throw TestFailure("no place \(index) in \(list.count)") }
            list.insert(item, at: index)
        }
        items = list
    }

    private mutating func updateSections(_ json: [String: Any]) throws {
        guard var list = sections else { throw TestFailure("an update before the initial event") }
        let objects = json["objects"] as? [String: Any] ?? [:]
        let old = try Self.paths(json["modifications"])
        for (path, item) in zip(old, try Self.texts(objects["modifications"])) {
            guard list.indices.contains(path.0), list[path.0].items.indices.contains(path.1) else {
                throw TestFailure("no item at \(path)")
            }
            list[path.0].items[path.1] = item
        }
        for path in try Self.paths(json["deletions"]).reversed() {
            guard list.indices.contains(path.0), list[path.0].items.indices.contains(path.1) else {
                throw TestFailure("no item at \(path)")
            }
            list[path.0].items.remove(at: path.1)
        }
        for index in try Self.indices(json["sectionsToDelete"]).reversed() { list.remove(at: index) }
        let keys = try Self.texts(json["insertedKeys"])
        for (index, key) in zip(try Self.indices(json["sectionsToInsert"]), keys) {
            list.insert(Section(key: key, items: []), at: index)
        }
        for (path, item) in zip(try Self.paths(json["insertions"]), try Self.texts(objects["insertions"])) {
            guard list.indices.contains(path.0), path.1 <= list[path.0].items.count else {
                throw TestFailure("no place at \(path)")
            }
            list[path.0].items.insert(item, at: path.1)
        }
        sections = list
    }

    private static func indices(_ value: Any?) throws -> [Int] {
        guard let numbers = value as? [NSNumber] else { throw TestFailure("no indices: \(value ?? "nothing")") }
        return numbers.map(\.intValue)
    }

    private static func paths(_ value: Any?) throws -> [(Int, Int)] {
        guard let pairs = value as? [[NSNumber]], pairs.allSatisfy({ $0.count == 2 }) else {
            throw TestFailure("no paths: \(value ?? "nothing")")
        }
        return pairs.map { ($0[0].intValue, $0[1].intValue) }
    }

    static func texts(_ value: Any?) throws -> [String] {
        guard let list = value as? [Any] else { throw TestFailure("no list: \(value ?? "nothing")") }
        return try list.map { try text($0) }
    }

    static func text(_ value: Any?) throws -> String {
        let options: JSONSerialization.WritingOptions = [.sortedKeys, .fragmentsAllowed]
        return String(
            decoding: try JSONSerialization.data(withJSONObject: value ?? NSNull(), options: options), as: UTF8.self)
    }
}
