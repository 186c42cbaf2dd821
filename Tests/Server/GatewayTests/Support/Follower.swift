import HTTPMessages
import HTTPServer
import JSONCoding
import Testing

/// A client that follows one stream of any kind, and the state that it should have.
struct Follower: Sendable, CustomTestStringConvertible {
    enum Kind: Sendable {
        case list
        case map
        case object
        case sections
        /// Aggregates, as a whole or by group.
        case aggregates
        /// Values, one value or a position: read as a whole.
        case answer
    }

    let kind: Kind
    /// The observed resource, after `/v1/observe/`.
    let target: String
    /// The resource for a fresh read, after `/v1/`, and the member of the response; nil for the whole response.
    let fresh: String
    var members: [String] = ["items"]

    var testDescription: String { target }

    static let all = [
        Follower(kind: .list, target: "objects/Dog?fields=id,age", fresh: "objects/Dog?fields=id,age"),
        Follower(
            kind: .list,
            target: "objects/Dog?filter=age%20%3E%203&sort=-age&limit=4&fields=id,age,breed&include=objects",
            fresh: "objects/Dog?filter=age%20%3E%203&sort=-age&limit=4&fields=id,age,breed"),
        Follower(
            kind: .list, target: "objects/Dog?distinct=breed&sort=age&fields=id,age,breed",
            fresh: "objects/Dog?distinct=breed&sort=age&fields=id,age,breed"),
        Follower(
            kind: .list, target: "objects/Dog?filter=ANY%20owners.age%20%3E%2010&fields=id,age",
            fresh: "objects/Dog?filter=ANY%20owners.age%20%3E%2010&fields=id,age"),
        Follower(kind: .list, target: "objects/Person/ada/tags", fresh: "objects/Person/ada/tags"),
        Follower(kind: .list, target: "objects/Person/ada/nums?include=objects", fresh: "objects/Person/ada/nums"),
        Follower(
            kind: .list, target: "objects/Person/ada/things?types=typed", fresh: "objects/Person/ada/things?types=typed"
        ),
        Follower(kind: .list, target: "objects/Person/ada/marks", fresh: "objects/Person/ada/marks"),
        Follower(
            kind: .list, target: "objects/Person/ada/dogs?fields=id,age", fresh: "objects/Person/ada/dogs?fields=id,age"
        ),
        Follower(
            kind: .list, target: "objects/Person/ada/dogs?sort=age&fields=id,age",
            fresh: "objects/Person/ada/dogs?sort=age&fields=id,age"),
        Follower(
            kind: .list, target: "objects/Person/ada/friends?fields=handle,age",
            fresh: "objects/Person/ada/friends?fields=handle,age"),
        Follower(
            kind: .list, target: "objects/Dog/1/owners?fields=handle,age",
            fresh: "objects/Dog/1/owners?fields=handle,age"),
        Follower(kind: .map, target: "objects/Person/ada/prices", fresh: "objects/Person/ada/prices"),
        Follower(
            kind: .map, target: "objects/Person/ada/pets", fresh: "objects/Person/ada?expand=pets", members: ["pets"]),
        Follower(kind: .object, target: "objects/Person/ada", fresh: "objects/Person/ada", members: []),
        Follower(
            kind: .sections, target: "sections/Dog?by=breed&fields=id,age",
            fresh: "sections/objects/Dog?by=breed&fields=id,age",
            members: ["sections"]),
        Follower(
            kind: .sections, target: "sections/Dog?by=breed&ascending=false&filter=age%20%3E%202&fields=id,age",
            fresh: "sections/objects/Dog?by=breed&ascending=false&filter=age%20%3E%202&fields=id,age",
            members: ["sections"]),
        Follower(
            kind: .sections, target: "sections/Person/ada/dogs?by=age&fields=id,breed",
            fresh: "sections/objects/Person/ada/dogs?by=age&fields=id,breed", members: ["sections"]),
        aggregates("objects/Dog?sum=age&average=age&min=age&max=age"),
        aggregates("objects/Dog?by=breed&sum=age&min=age"),
        aggregates("objects/Dog?by=breed,age&top=2&filter=age%20%3E%202"),
        aggregates("objects/Dog?by=breed&average=age&min=age&order=-average(age),min(age)&limit=2&offset=1"),
        aggregates("objects/Dog?by=age&order=-count,-age"),
        aggregates("objects/Dog?by=breed&average=age&having=average(age)%20%3E%204%20OR%20count%20%3E%203"),
        aggregates(
            "objects/Dog?by=age&sum=age&having=NOT%20sum(age)%20IN%20%7B3,5%7D&order=-sum(age)&limit=2&offset=1"),
        aggregates("objects/Person/ada/dogs?by=breed&min=age&having=min(age)%20%3C%206"),
        aggregates("objects/Dog?by=age&filter=ANY%20owners.age%20%3E%2010"),
        aggregates("objects/Person/ada/dogs?by=breed&average=age"),
        aggregates("objects/Dog/1/owners?max=age"),
        answer("aggregates/objects/Dog?by=age&bins=4"),
        answer("aggregates/objects/Dog?by=age&bins=3&filter=ANY%20owners.age%20%3E%2010&types=typed"),
        answer("aggregates/objects/Person/ada/dogs?by=age&bins=2"),
        answer("aggregates/objects/Dog/1/owners?by=age&bins=2"),
        answer("values/objects/Dog?key=age"),
        answer("values/objects/Dog?keyPath=@distinctUnionOfObjects.breed&sort=age&filter=age%20%3E%202"),
        answer("values/objects/Dog?keyPath=@max.age"),
        answer("values/objects/Person?keyPath=dogs.breed&sort=age&limit=2&offset=1"),
        answer("values/objects/Person?keyPath=@unionOfArrays.nums&types=typed"),
        answer("values/objects/Person/ada/dogs?keyPath=owners.age"),
        answer("values/objects/Person/ada/tags?key=self&filter=self%20!=%20'b'"),
        answer("values/objects/Person/ada/prices?keyPath=@count"),
        answer("index/objects/Dog?of=3&sort=age"),
        answer("index/objects/Dog?matching=age%20%3E%205&sort=breed"),
        answer("index/objects/Person/ada/dogs?of=2"),
        answer("index/objects/Person/ada/nums?matching=self%20%3E%201&sort=self"),
    ]

    /// - Parameter target: after `/v1/`.
    static func answer(_ target: String) -> Follower {
        Follower(kind: .answer, target: target, fresh: target, members: [])
    }

    /// - Parameter target: after `/v1/aggregates/`.
    static func aggregates(_ target: String) -> Follower {
        let target = "aggregates/" + target
        return Follower(kind: .aggregates, target: target, fresh: target, members: [])
    }

    func open(_ wire: Wire, since id: String? = nil, limit: Int = 1 << 20) throws -> WireEvents {
        try wire.observe(
            "/v1/observe/\(target)", headers: id.map { ["Last-Event-ID": $0] } ?? [:], limit: limit)
    }

    /// Returns the state of a client that is up to date.
    func expected(_ wire: Wire) throws -> JSONValue {
        let answer = try wire.get("/v1/\(fresh)")
        var json = answer.json
        for member in members { json = json?[member] }
        guard answer.status == 200, let json else { throw WireFailure("\(answer)") }
        return [.aggregates, .answer].contains(kind) ? json.setting("version", nil).canonical : json.canonical
    }

    /// Takes the next event.
    func follow(
        _ events: WireEvents, _ held: inout JSONValue, to expected: JSONValue, _ note: String
    ) throws -> WireEvents.Event {
        do {
            let event = try events.next()
            try apply(event, to: &held)
            return event
        } catch {
            throw WireFailure("\(target), \(note): \(error)\nheld \(held)\nexpected \(expected)")
        }
    }

    /// Applies an event to the client's state, which is in canonical form.
    func apply(_ event: WireEvents.Event, to held: inout JSONValue) throws {
        switch (kind, event.name) {
        case (.list, "initial"), (.map, "initial"): held = event.data["items"] ?? .null
        case (.sections, "initial"): held = event.data["sections"] ?? .null
        case (.object, "initial"): held = event.data["object"] ?? .null
        case (.list, "update"):
            var list = held.asArray ?? []
            try ListReader.apply(event, to: &list)
            held = .array(list)
        case (.aggregates, "initial"), (.answer, "initial"): held = event.data.setting("version", nil)
        case (.answer, "update"):
            let answer = event.data.setting("version", nil)
            guard answer.canonical != held else { throw WireFailure("An update says nothing new: \(answer)") }
            held = answer
        case (.aggregates, "update"): held = try Self.aggregates(event.data, held)
        case (.map, "update"): held = try Self.map(event.data, held)
        case (.sections, "update"): held = try Self.sections(event.data, held)
        case (.object, "change"):
            for change in event.data["changes"]?.asArray ?? [] {
                guard let name = change["name"]?.asString, let new = change["new"] else { continue }
                held = held.setting(name, new)
            }
        default: throw WireFailure("\(event)")
        }
        held = held.canonical
    }

    private static func aggregates(_ data: JSONValue, _ held: JSONValue) throws -> JSONValue {
        let data = data.setting("version", nil)
        // Without groups an update is the whole answer, and says something new.
        guard var groups = held["groups"]?.asArray else {
            guard data.canonical != held, data["groups"] == nil else { throw WireFailure("\(data) on \(held)") }
            return data
        }
        func positions(_ name: String) -> [Int] { (data[name]?.asArray ?? []).compactMap(\.asInt) }
        func new(_ name: String) -> [JSONValue] { data["groups"]?[name]?.asArray ?? [] }
        func check(_ condition: Bool) throws {
            guard condition else { throw WireFailure("An update does not fit: \(data) on \(held)") }
        }
        try check(positions("modifications").count == new("modifications").count)
        try check(positions("insertions").count == new("insertions").count)
        for (position, group) in zip(positions("modifications"), new("modifications")) {
            try check(position < groups.count && groups[position] != group.canonical)
            groups[position] = group
        }
        for position in positions("deletions").reversed() {
            try check(position < groups.count)
            groups.remove(at: position)
        }
        for (position, group) in zip(positions("insertions"), new("insertions")) {
            try check(position <= groups.count)
            groups.insert(group, at: position)
        }
        return held.setting("groups", .array(groups)).setting("others", data["others"])
    }

    private static func map(_ data: JSONValue, _ held: JSONValue) throws -> JSONValue {
        var held = held
        for key in data["deletions"]?.asArray ?? [] {
            guard let key = key.asString, held.memberNames.contains(key) else { throw WireFailure("\(data)") }
            held = held.setting(key, nil)
        }
        for part in ["insertions", "modifications"] {
            for key in data[part]?.asArray ?? [] {
                guard let key = key.asString, let value = data["objects"]?[part]?[key],
                    held.memberNames.contains(key) == (part == "modifications")
                else { throw WireFailure("\(data) on \(held)") }
                held = held.setting(key, value)
            }
        }
        return held
    }

    private static func sections(_ data: JSONValue, _ held: JSONValue) throws -> JSONValue {
        var sections = (held.asArray ?? []).map { (key: $0["key"] ?? .null, items: $0["items"]?.asArray ?? []) }
        func paths(_ name: String) -> [(Int, Int)] {
            (data[name]?.asArray ?? []).compactMap { path in
                path.asArray.flatMap { path in
                    path.count == 2 ? path[0].asInt.flatMap { a in path[1].asInt.map { (a, $0) } } : nil
                }
            }
        }
        func objects(_ name: String) -> [JSONValue] { data["objects"]?[name]?.asArray ?? [] }
        func check(_ condition: Bool) throws {
            guard condition else { throw WireFailure("An update does not fit: \(data) on \(held)") }
        }
        for ((section, row), object) in zip(paths("modifications"), objects("modifications")) {
            try check(section < sections.count && row < sections[section].items.count)
            sections[section].items[row] = object
        }
        for (section, row) in paths("deletions").reversed() {
            try check(section < sections.count && row < sections[section].items.count)
            sections[section].items.remove(at: row)
        }
        for index in (data["sectionsToDelete"]?.asArray ?? []).compactMap(\.asInt).reversed() {
            try check(index < sections.count)
            sections.remove(at: index)
        }
        let inserted = (data["sectionsToInsert"]?.asArray ?? []).compactMap(\.asInt)
        for (index, key) in zip(inserted, data["insertedKeys"]?.asArray ?? []) {
            try check(index <= sections.count)
            sections.insert((key, []), at: index)
        }
        for ((section, row), object) in zip(paths("insertions"), objects("insertions")) {
            try check(section < sections.count && row <= sections[section].items.count)
            sections[section].items.insert(object, at: row)
        }
        return .array(
            sections.map { ["key": $0.key, "count": .int(Int64($0.items.count)), "items": .array($0.items)] })
    }
}

extension JSONValue {
    /// Returns the object with a member set or removed.
    func setting(_ name: String, _ value: JSONValue?) -> JSONValue {
        guard case .object(var object) = self else { return self }
        object.members.removeAll { $0.name == name }
        if let value { object.members.append(JSONObject.Member(name: name, value: value)) }
        return .object(object)
    }
}
