import AccessRules
import EmbeddedStore
import Gateway
import HTTPMessages
import HTTPServer
import Identity
import JSONCoding
import ObjectModel
import RepositoryFiles
import RequestHandling
import StoreContract
import StoreTesting
import TestBasics

/// A database of which a caller sees a part, and one with only that part. Each write to the first is made to the second
/// as far as the caller sees it, so that for the caller both are the same after every commit.
final class TwoWorlds {
    /// How the values of a property contain links.
    private enum Kind {
        case plain
        case link
        /// A list or set, which omits hidden elements.
        case links
        case map
        case mixed
        case part
        case parts
    }

    private static let fields: [(name: String, kind: Kind)] = [
        ("name", .plain), ("age", .plain), ("tags", .plain), ("friend", .link), ("friends", .links), ("pals", .links),
        ("by", .map), ("any", .mixed), ("anys", .mixed), ("home", .part), ("homes", .parts),
    ]

    private static let schema = #"""
        {"schemaVersion":1,"classes":[
          {"name":"Person","primaryKey":"id","properties":[
            {"name":"id","type":"int"},{"name":"name","type":"string?"},{"name":"age","type":"int"},
            {"name":"hidden","type":"int"},{"name":"tags","type":"string[]"},{"name":"friend","type":"Person?"},
            {"name":"friends","type":"Person[]"},{"name":"pals","type":"Person<>"},{"name":"by","type":"Person?{}"},
            {"name":"any","type":"mixed"},{"name":"anys","type":"mixed[]"},{"name":"home","type":"Address?"},
            {"name":"homes","type":"Address[]"},{"name":"fans","type":"linkingObjects(Person.friend)"},
            {"name":"listers","type":"linkingObjects(Person.friends)"}]},
          {"name":"Address","embedded":true,"properties":[
            {"name":"street","type":"string"},{"name":"guest","type":"Person?"},{"name":"place","type":"Place?"}]},
          {"name":"Place","embedded":true,"properties":[{"name":"x","type":"int"}]}]}
        """#

    private static let readable: Set<String> = Set(fields.map(\.name) + ["id", "fans", "listers"])

    private static let rule = "hidden == 0"

    static func caller(_ rule: String) -> Caller {
        let role = Role(
            name: "reader", classes: ["Person": ClassRule(read: rule, readableProperties: readable)])
        return Caller(Principal(credential: .key("reader"), subject: "reader"), AccessView(role: role))
    }

    /// The first database as the administrator sees it.
    let all: Wire
    /// The first database as the caller sees it.
    let whole: Wire
    /// The second database.
    let part: Wire
    private let truth: Wire
    /// Whether the rule is also used in the world without hidden objects, where it restricts nothing otherwise.
    private let isRuledAlike: Bool
    private let gateways: [Gateway]
    private let homes: [TestDirectory]

    private var people: [Int: [String: JSONValue]] = [:]
    private var hidden: Set<Int> = []
    /// The objects that were visible once.
    private var wasSeen: Set<Int> = []
    private var reported: [Int: [String: JSONValue]] = [:]
    private var last = 0
    /// Properties that the present commit has assigned and may not assign again, because a change that is reverted
    /// would be an assignment in one world only. Properties that may refer to hidden objects are compared by value.
    private var assigned: Set<String> = []
    var random: SeededRandom

    /// - Parameter place: see `GatewayConfiguration.places`.
    init(_ random: SeededRandom, slot: Int) throws {
        self.random = random
        isRuledAlike = self.random.oneIn(2)
        let homes = [try TestDirectory(), try TestDirectory()]
        self.homes = homes
        let schema = try SchemaCoding.decode(try JSONValue.parse(Self.schema))
        var options = EmbeddedStoreOptions()
        options.clusterCapacity = 64
        let stores = try homes.map { home in
            try EmbeddedStore.open(path: home.path + "/store", schema: schema, options: options)
        }
        gateways = try stores.map { try Gateway(store: $0, configuration: .places(slot)) }
        all = Wire(store: stores[0], router: gateways[0].router)
        truth = Wire(store: stores[1], router: gateways[1].router)
        whole = Wire(store: stores[0], router: all.router.calling(as: Self.caller(Self.rule)))
        part = Wire(
            store: stores[1], router: truth.router.calling(as: Self.caller(isRuledAlike ? Self.rule : "TRUEPREDICATE")))
        for _ in 0..<12 { try commit(1) }
    }

    /// All objects that the caller can see.
    var seen: [Int] { reported.keys.sorted() }

    func settle() {
        for gateway in gateways { gateway.settle() }
    }

    /// Makes some changes in one commit, and the visible ones in the other world. Returns a description.
    @discardableResult
    func commit(_ count: Int) throws -> String {
        var operations: [String] = []
        assigned = []
        for _ in 0..<count { if let operation = change() { operations.append(operation) } }
        try Self.write(operations, to: all)
        try tell()
        settle()
        return operations.joined(separator: ",")
    }

    private static func write(_ operations: [String], to wire: Wire) throws {
        guard !operations.isEmpty else { return }
        let body = #"{"operations":[\#(operations.joined(separator: ","))]}"#
        let answer = try wire.send(.post, "/v1/transactions", body)
        guard answer.status < 300 else { throw WireFailure("\(answer) to \(body)") }
    }

    private static func object(_ id: Int) -> String { #"{"class":"Person","key":\#(id)}"# }

    private static func text(_ value: JSONValue) -> String {
        let json = JSONWriter(capacity: 64)
        json.value(value)
        return String(decoding: json.bytes, as: UTF8.self)
    }

    private static func members(_ members: [(String, JSONValue)]) -> JSONValue {
        .object(JSONObject(members.map { JSONObject.Member(name: $0.0, value: $0.1) }))
    }

    private static func set(_ id: Int, _ name: String, _ value: JSONValue, in way: String = "") -> String {
        #"{"op":"set","object":\#(object(id))\#(way),"value":{"\#(name)":\#(text(value))}}"#
    }

    // MARK: Random changes

    private func someone() -> JSONValue {
        people.keys.sorted().randomElement(using: &random).map { .int(Int64($0)) } ?? .null
    }

    private func someoneOrNobody() -> JSONValue { random.oneIn(3) ? .null : someone() }

    private func mixed() -> JSONValue {
        if random.oneIn(8) {
            let nested = (0...random.below(2)).map { _ in mixed() }
            return random.oneIn(2) ? .array(nested) : Self.members(zip(["a", "b"], nested).map { ($0, $1) })
        }
        guard random.oneIn(2), case .int(let id) = someone() else {
            return random.pick([.null, .int(1), .string("x"), .bool(true)] as [JSONValue]) ?? .null
        }
        return Self.members([("$link", Self.members([("class", .string("Person")), ("key", .int(id))]))])
    }

    /// Returns a changed list: a new one, or one with some elements inserted, assigned, duplicated, moved or removed.
    private func elements(_ before: [JSONValue], _ element: () -> JSONValue) -> [JSONValue] {
        guard !before.isEmpty, !random.oneIn(4) else { return (0..<random.below(7)).map { _ in element() } }
        var elements = before
        for _ in 0...random.below(2) where !elements.isEmpty {
            let index = random.below(elements.count)
            switch random.below(elements.count < 9 ? 5 : 3) {
            case 0: elements[index] = element()
            case 1: elements.remove(at: index)
            case 2: elements.insert(elements.remove(at: index), at: random.below(elements.count))
            case 3: elements.insert(elements[index], at: random.below(elements.count))
            default: elements.insert(element(), at: index)
            }
        }
        return elements
    }

    private func address() -> JSONValue {
        let place: JSONValue = random.oneIn(2) ? .null : Self.members([("x", .int(Int64(random.below(3))))])
        return Self.members([
            ("street", .string(random.pick(["a", "b"]) ?? "a")), ("guest", someoneOrNobody()), ("place", place),
        ])
    }

    private func change() -> String? {
        if people.count < 6 || random.oneIn(8) {
            last += 1
            var person: [String: JSONValue] = [:]
            for field in Self.fields {
                switch field.kind {
                case .plain: person[field.name] = field.name == "age" ? .int(0) : field.name == "tags" ? [] : .null
                case .links, .parts: person[field.name] = []
                case .map: person[field.name] = [:]
                case .mixed: person[field.name] = field.name == "anys" ? [] : .null
                case .link, .part: person[field.name] = .null
                }
            }
            people[last] = person
            if random.oneIn(3) { hidden.insert(last) }
            return
                #"{"op":"create","class":"Person","value":{"id":\#(last),"hidden":\#(hidden.contains(last) ? 1 : 0)}}"#
        }
        guard let id = people.keys.sorted().randomElement(using: &random), var person = people[id] else { return nil }
        defer { if people[id] != nil { people[id] = person } }
        if random.oneIn(9) {
            // In the other world it is created when it first becomes visible, and sets are in the order of creation.
            if hidden.contains(id), id <= wasSeen.max() ?? 0 { return nil }
            if hidden.remove(id) == nil { hidden.insert(id) }
            return Self.set(id, "hidden", hidden.contains(id) ? .int(Int64(1 + random.below(2))) : .int(0))
        }
        if random.oneIn(25), people.count > 8 {
            people[id] = nil
            hidden.remove(id)
            for other in people.keys { people[other] = people[other].map { Self.shown($0) { $0 != id } } }
            return #"{"op":"delete","object":\#(Self.object(id))}"#
        }
        guard let field = random.pick(Self.fields) else { return nil }
        let before = person[field.name] ?? .null
        let value: JSONValue
        switch field.kind {
        case .plain:
            switch field.name {
            case "age": value = .int(Int64(random.below(4)))
            case "tags": value = .array((0..<random.below(4)).map { _ in .string(random.pick(["a", "b"]) ?? "a") })
            default:
                value = random.pick([.null, .string("ada"), .string("bob"), .string("cyd")] as [JSONValue]) ?? .null
            }
        case .link: value = someoneOrNobody()
        case .links:
            var chosen = elements(before.asArray ?? [], someone)
            if field.name == "pals" { chosen = Self.distinct(chosen) }
            value = .array(chosen)
        case .map:
            value = Self.members(["a", "b", "c"].filter { _ in random.oneIn(2) }.map { ($0, someoneOrNobody()) })
        case .mixed: value = field.name == "any" ? mixed() : .array(elements(before.asArray ?? [], mixed))
        case .part:
            if case .object = before, !random.oneIn(4) {
                let inner = Self.changedPart(before, to: address())
                guard isFirst(id, "home.\(inner.name)", mayRepeat: inner.name == "guest") else { return nil }
                person[field.name] = inner.whole
                return inner.text.map { Self.set(id, inner.name, $0, in: #","in":["home"]"#) }
            }
            value = before == .null ? address() : .null
        case .parts:
            if case .array(var parts) = before, !parts.isEmpty, !random.oneIn(4) {
                let index = random.below(parts.count)
                let inner = Self.changedPart(parts[index], to: address())
                guard isFirst(id, "homes.\(index).\(inner.name)", mayRepeat: inner.name == "guest") else { return nil }
                parts[index] = inner.whole
                person[field.name] = .array(parts)
                return inner.text.map { Self.set(id, inner.name, $0, in: #","in":["homes",\#(index)]"#) }
            }
            // With another number, so that they are new ones in both worlds.
            value = .array((0..<((before.asArray?.count ?? 0) == 1 ? 2 : 1)).map { _ in address() })
        }
        guard value != before else { return nil }
        let mayRepeat = ![.plain, .part, .parts].contains(field.kind)
        guard isFirst(id, field.name, mayRepeat: mayRepeat) else { return nil }
        person[field.name] = value
        return Self.set(id, field.name, value)
    }

    private func isFirst(_ id: Int, _ name: String, mayRepeat: Bool) -> Bool {
        mayRepeat || assigned.insert("\(id) \(name)").inserted
    }

    /// Returns the assignment of one member of an embedded object; nil if nothing changes.
    private static func changedPart(
        _ old: JSONValue, to new: JSONValue
    ) -> (whole: JSONValue, name: String, text: JSONValue?) {
        guard case .object(var object) = old else { return (old, "", nil) }
        for (index, member) in object.members.enumerated() {
            // An element that exists on both sides would be another object in one world only.
            guard let value = new[member.name], value != member.value,
                member.name != "place" || value == .null || member.value == .null
            else { continue }
            object.members[index].value = value
            return (.object(object), member.name, value)
        }
        return (old, "", nil)
    }

    private static func distinct(_ values: [JSONValue]) -> [JSONValue] {
        var distinct: [JSONValue] = []
        for value in values where !distinct.contains(value) { distinct.append(value) }
        return distinct
    }

    // MARK: The caller's view

    private static func shown(_ person: [String: JSONValue], _ isThere: (Int) -> Bool) -> [String: JSONValue] {
        var shown = person
        for field in fields { shown[field.name] = person[field.name].map { self.shown($0, field.kind, isThere) } }
        return shown
    }

    private static func shown(_ value: JSONValue, _ kind: Kind, _ isThere: (Int) -> Bool) -> JSONValue {
        switch (kind, value) {
        case (.link, .int(let id)): return isThere(Int(id)) ? value : .null
        case (.links, .array(let elements)): return .array(elements.filter { $0.asInt.map(isThere) ?? true })
        case (.map, .object(let object)):
            return members(object.members.map { ($0.name, shown($0.value, .link, isThere)) })
        case (.mixed, .array(let elements)): return .array(elements.map { shown($0, .mixed, isThere) })
        case (.mixed, .object(let object)):
            if let link = value["$link"] { return link["key"]?.asInt.map(isThere) ?? true ? value : .null }
            return members(object.members.map { ($0.name, shown($0.value, .mixed, isThere)) })
        case (.part, .object(let object)):
            return members(
                object.members.map { ($0.name, $0.name == "guest" ? shown($0.value, .link, isThere) : $0.value) })
        case (.parts, .array(let elements)): return .array(elements.map { shown($0, .part, isThere) })
        default: return value
        }
    }

    /// Makes the visible differences in the other world.
    private func tell() throws {
        var now: [Int: [String: JSONValue]] = [:]
        for (id, person) in people where !hidden.contains(id) {
            now[id] = Self.shown(person) { !hidden.contains($0) }
            wasSeen.insert(id)
        }
        var operations: [String] = []
        let deleted = Set(reported.keys).subtracting(now.keys)
        for id in deleted.sorted() { operations.append(#"{"op":"delete","object":\#(Self.object(id))}"#) }
        let come = now.keys.filter { reported[$0] == nil }.sorted()
        for id in come { operations.append(#"{"op":"create","class":"Person","value":{"id":\#(id)}}"#) }
        for id in now.keys.sorted() {
            guard let person = now[id] else { continue }
            // The effect of the deletions.
            let before = reported[id].map { Self.shown($0) { !deleted.contains($0) } } ?? [:]
            for field in Self.fields {
                guard let value = person[field.name], value != before[field.name] else { continue }
                if reported[id] == nil, ([.null, [], [:], .int(0)] as [JSONValue]).contains(value) { continue }
                // Where the rule is used, the history of a value does not matter: another value is written first.
                if isRuledAlike, reported[id] != nil, let detour = detour(field.kind, value) {
                    operations.append(Self.set(id, field.name, detour))
                }
                operations += Self.edits(id, field.name, field.kind, before[field.name] ?? .null, value)
            }
        }
        reported = now
        try Self.write(operations, to: truth)
    }

    private func detour(_ kind: Kind, _ value: JSONValue) -> JSONValue? {
        guard random.oneIn(2) else { return nil }
        switch (kind, value) {
        case (.links, .array(let elements)), (.mixed, .array(let elements)):
            return .array(random.oneIn(2) ? [] : elements.reversed())
        case (.map, _): return [:]
        case (.link, _): return .null
        default: return nil
        }
    }

    private static func edits(
        _ id: Int, _ name: String, _ kind: Kind, _ old: JSONValue, _ new: JSONValue
    ) -> [String] {
        func members(_ old: JSONValue, _ new: JSONValue, _ way: String) -> [String] {
            ["street", "guest", "place"].compactMap { member in
                guard let value = new[member], value != old[member] else { return nil }
                return set(id, member, value, in: #","in":[\#(way)]"#)
            }
        }
        switch (kind, old, new) {
        case (.part, .object, .object): return members(old, new, "\"home\"")
        case (.parts, .array(let before), .array(let after)) where before.count == after.count:
            return zip(before, after).enumerated().flatMap { members($1.0, $1.1, "\"homes\",\($0)") }
        default: return [set(id, name, new)]
        }
    }
}
