import AccessRules
import EmbeddedStore
import Foundation
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
import Synchronization
import TestBasics

/// A store whose schema one thread replaces while others write.
final class StormHome {
    private let home: TestDirectory
    let store: any Store
    let gateway: Gateway
    /// A caller with full access, and one that does not see hidden objects.
    let wires: [Wire]

    /// Does not see hidden objects, but may write.
    static let caller = Caller(
        Principal(credential: .key("part"), subject: "part"),
        AccessView(
            role: Role(
                name: "part",
                classes: [
                    "Item": ClassRule(
                        read: "hidden == 0", create: "TRUEPREDICATE", update: "TRUEPREDICATE", delete: "TRUEPREDICATE"),
                    "Other": ClassRule(read: "TRUEPREDICATE"),
                ])))

    /// - Parameters:
    ///   - place: see `GatewayConfiguration.places`.
    ///   - wrap: returns the store that the gateway uses.
    init(slot: Int = 0, _ wrap: (EmbeddedStore) -> any Store = { $0 }) throws {
        home = try TestDirectory()
        var options = EmbeddedStoreOptions()
        options.clusterCapacity = 64
        store = wrap(try EmbeddedStore.open(path: home.path + "/store", options: options))
        var configuration = GatewayConfiguration.places(slot)
        configuration.defaultPage = configuration.maximumPage
        gateway = try Gateway(store: store, configuration: configuration)
        let router = gateway.router
        wires = [Caller.unrestricted, Self.caller].map { [store] in
            Wire(store: store, router: router.calling(as: $0))
        }
    }

    deinit { store.close() }

    var wire: Wire { wires[0] }

    func fill() throws {
        let items = (1...8).map {
            #"{"id":\#($0),"name":"n\#($0)","age":\#($0),"kind":"k\#($0 % 2)","tags":["a","b"],"marks":[\#($0)],"rates":{"x":1},"hidden":\#($0 % 4 == 0 ? 1 : 0)}"#
        }
        for (target, body) in [
            ("Item", "[\(items.joined(separator: ","))]"), ("Other", #"[{"id":1},{"id":2}]"#),
            (
                "Item?update=modified",
                #"[{"id":1,"friend":4,"friends":[1,4,2],"home":{"street":"a","guest":4}},{"id":2,"friend":1}]"#
            ),
        ] {
            let answer = try wire.send(.post, "/v1/objects/\(target)", body)
            guard answer.status < 300 else { throw WireFailure("\(answer)") }
        }
    }
}

/// Replaces the schema repeatedly. The names in `steady` always exist.
struct StormMigrator {
    private static let steady = [
        #"{"name":"id","type":"int"}"#, #"{"name":"kind","type":"string?"}"#, #"{"name":"hidden","type":"int"}"#,
        #"{"name":"marks","type":"int<>"}"#, #"{"name":"rates","type":"int{}"}"#, #"{"name":"friend","type":"Item?"}"#,
        #"{"name":"friends","type":"Item[]"}"#, #"{"name":"home","type":"Home?"}"#,
        #"{"name":"homes","type":"Home[]"}"#,
        #"{"name":"any","type":"mixed"}"#, #"{"name":"fans","type":"linkingObjects(Item.friend)"}"#,
    ]

    var random: SeededRandom
    private var version = 1
    private var label = "label"
    private var numberType = "int"
    private var isIndexed = false
    private var ageDefault = 0
    private var tagDefault = false
    private var extras: [String] = []
    private var hasNote = false
    private var hasOther = true
    private var isReversed = false

    init(_ random: SeededRandom) { self.random = random }

    /// Sends the present schema with the steps of a migration to it.
    func put(_ steps: [String], to wire: Wire) throws {
        var properties = Self.steady
        properties += [
            #"{"name":"name","type":"string?","indexed":\#(isIndexed)}"#,
            #"{"name":"age","type":"int","default":\#(ageDefault)}"#,
            #"{"name":"tags","type":"string[]"\#(tagDefault ? #","default":["d"]"# : "")}"#,
            #"{"name":"\#(label)","type":"string"}"#, #"{"name":"number","type":"\#(numberType)"}"#,
        ]
        properties += extras.map { #"{"name":"\#($0)","type":"string"}"# }
        if isReversed { properties.reverse() }
        let note = hasNote ? #",{"name":"note","type":"int"}"# : ""
        var classes = [
            #"{"name":"Item","primaryKey":"id","properties":[\#(properties.joined(separator: ","))]}"#,
            #"{"name":"Home","embedded":true,"properties":[{"name":"street","type":"string"}\#(note),{"name":"guest","type":"Item?"}]}"#,
        ]
        if hasOther {
            classes.append(#"{"name":"Other","primaryKey":"id","properties":[{"name":"id","type":"int"}]}"#)
        }
        let document =
            #"{"schemaVersion":\#(version),"classes":[\#(classes.joined(separator: ","))],"migration":[\#(steps.joined(separator: ","))]}"#
        let answer = try wire.send(.put, "/v1/schema", document)
        guard answer.status == 200 else { throw WireFailure("\(document): \(answer)") }
    }

    mutating func migrate(_ wire: Wire) throws {
        version += 1
        var steps: [String] = []
        let hadOther = hasOther
        func set(_ property: String, _ value: String) {
            steps.append(#"{"default":{"class":"Item","property":"\#(property)","value":\#(value)}}"#)
        }
        for _ in 0...random.below(2) {
            switch random.below(12) {
            case 0: ageDefault = random.below(9)
            case 1: tagDefault.toggle()
            case 2 where steps.isEmpty:
                numberType = numberType == "int" ? "string" : "int"
                let fallback = numberType == "int" ? "7" : "\"seven\""
                steps.append(#"{"convert":{"class":"Item","from":"number","fallback":\#(fallback)}}"#)
            case 3 where steps.isEmpty:
                let old = label
                label = label == "label" ? "title" : "label"
                steps.append(#"{"rename":{"class":"Item","from":"\#(old)","to":"\#(label)"}}"#)
            case 4 where steps.isEmpty:
                // A new property gets the identifier of a removed one, or a new one.
                let name = "x\(random.below(4))"
                guard !extras.contains(name) else { break }
                extras.append(name)
                steps.append(#"{"copy":{"class":"Item","from":"\#(label)","to":"\#(name)"}}"#)
            // Not one that this migration copies to.
            case 5 where steps.isEmpty: if !extras.isEmpty { extras.remove(at: random.below(extras.count)) }
            case 6: set("tags", #"["m\#(random.below(3))"]"#)
            case 7: set("rates", #"{"m":\#(random.below(3))}"#)
            case 8: isIndexed.toggle()
            // Not one that this migration makes.
            case 9 where steps.isEmpty && hasOther == hadOther:
                hasOther.toggle()
                if !hasOther { steps.append(#"{"deleteClass":"Other"}"#) }
            case 10: hasNote.toggle()
            case 11: isReversed.toggle()
            default: set("age", "\(random.below(9))")
            }
        }
        try put(steps, to: wire)
    }
}

/// Writes of every kind that use only names that always exist.
struct StormWriter {
    let number: Int
    var random: SeededRandom
    private var last = 0
    /// The objects that this writer created and has not deleted: no other writer deletes them.
    private var own: [Int] = []
    /// The objects that the next write creates.
    private var created: [Int] = []

    init(_ number: Int, _ random: SeededRandom) {
        self.number = number
        self.random = random
    }

    struct Write: Sendable {
        var method: HTTPMethod
        var target: String
        var body: String?
        var headers: HeaderFields = [:]
        /// The objects that it creates, if it is done.
        var created: [Int] = []
    }

    private mutating func member() -> String {
        let number = random.below(9)
        return switch random.below(11) {
        case 0: #""age":\#(number)"#
        case 1: #""name":"w\#(number)""#
        case 2: #""kind":"k\#(number % 3)""#
        case 3: #""tags":["t\#(number)","b"]"#
        case 4: #""marks":[\#(number),1]"#
        case 5: #""rates":{"x":\#(number)}"#
        case 6: #""friend":\#(number % 3 == 0 ? "null" : "\(seen(number))")"#
        case 7: #""home":\#(number % 4 == 0 ? "null" : home())"#
        case 8: #""homes":[\#((0..<number % 3).map { _ in home() }.joined(separator: ","))]"#
        case 9: #""any":{"$link":{"class":"Item","key":\#(seen(number))}}"#
        default: #""friends":[\#(seen(number)),\#(seen(number % 3))]"#
        }
    }

    /// Returns one of the first items, which remain; the third writer does not see the hidden ones.
    private func seen(_ slot: Int) -> Int {
        let id = 1 + slot % 8
        return number == 3 && id % 4 == 0 ? id - 1 : id
    }

    private mutating func anyone() -> Int { seen(random.below(8)) }

    private mutating func home() -> String {
        #"{"street":"s\#(random.below(3))","guest":\#(random.oneIn(3) ? "null" : "\(anyone())")}"#
    }

    private mutating func new() -> Int {
        last += 1
        created.append(number * 10_000 + last)
        return number * 10_000 + last
    }

    private mutating func operation() -> String {
        let id = anyone()
        let object = #""object":{"class":"Item","key":\#(id)}"#
        switch random.below(7) {
        case 0: return #"{"op":"create","class":"Item","value":{"id":\#(new()),\#(member())}}"#
        case 1: return #"{"op":"append",\#(object),"property":"friends","value":\#(anyone())}"#
        case 2: return #"{"op":"put",\#(object),"property":"rates","mapKey":"y","value":\#(random.below(9))}"#
        case 3: return #"{"op":"add",\#(object),"property":"marks","value":[\#(random.below(9))]}"#
        case 4: return #"{"op":"insert",\#(object),"property":"tags","index":0,"value":"i"}"#
        case 5: return #"{"op":"create","class":"Item","update":"modified","value":{"id":\#(id),\#(member())}}"#
        default: return #"{"op":"set",\#(object),"value":{\#(member())}}"#
        }
    }

    mutating func next() -> Write {
        created = []
        var write = someWrite()
        write.created = created
        return write
    }

    private mutating func someWrite() -> Write {
        let id = anyone()
        let item = "/v1/objects/Item/\(id)"
        switch random.below(18) {
        case 0: return Write(method: .put, target: item, body: #"{"name":"p","hidden":\#(id % 4 == 0 ? 1 : 0)}"#)
        case 1:
            return Write(
                method: .post, target: "/v1/objects/Item?update=\(random.oneIn(2) ? "modified" : "all")",
                body: #"[{"id":\#(id),\#(member())},{"id":\#(anyone()),\#(member())}]"#)
        case 2: return Write(method: .post, target: "/v1/objects/Item", body: #"{"id":\#(new()),\#(member())}"#)
        case 3:
            guard own.count > 2 else { break }
            return Write(method: .delete, target: "/v1/objects/Item/\(own.removeFirst())")
        case 4:
            return Write(
                method: .patch, target: "/v1/objects/Item?filter=age%20%3E%20\(random.below(9))",
                body: #"{"kind":"b\#(random.below(3))"}"#)
        case 5:
            return Write(method: .put, target: "/v1/values/objects/Item?key=kind&all=true", body: "\"v\"")
        case 6, 7, 8:
            let operations = (0...random.below(4)).map { _ in operation() }
            // As a synchronising client sends them.
            let key: HeaderFields = random.oneIn(2) ? ["Idempotency-Key": "k\(number)-\(random.next())"] : [:]
            return Write(
                method: .post, target: "/v1/transactions",
                body: #"{"operations":[\#(operations.joined(separator: ","))]}"#, headers: key)
        case 9, 10:
            let lines = (0...random.below(5)).map { _ in
                #"{"id":\#(random.oneIn(3) ? new() : anyone()),\#(member())}"#
            }
            return Write(
                method: .post,
                target: "/v1/import/Item?format=ndjson&update=modified\(random.oneIn(2) ? "&atomic=true" : "")",
                body: lines.joined(separator: "\n") + "\n", headers: ["Content-Type": "application/x-ndjson"])
        case 11:
            return Write(
                method: .post, target: "/v1/import/Item?format=csv&update=modified",
                body: "age,id,kind\n\(random.below(9)),\(id),c\n4,\(new()),\n", headers: ["Content-Type": "text/csv"])
        case 12: return Write(method: .put, target: item + "/tags", body: #"["p\#(random.below(4))","q"]"#)
        case 13: return Write(method: .post, target: item + "/marks", body: "[\(random.below(9))]")
        case 14: return Write(method: .put, target: item + "/rates/z", body: "\(random.below(9))")
        case 15: return Write(method: .patch, target: item + "/home", body: #"{"street":"h\#(random.below(3))"}"#)
        case 16: return Write(method: .patch, target: item + "/friend", body: #"{"name":"f"}"#)
        default: break
        }
        return Write(method: .patch, target: item, body: "{\(member())}")
    }

    /// Takes note of a response, and returns its error; nil for an expected one.
    mutating func fault(_ write: Write, _ answer: WireResponse) -> String? {
        let text = answer.text
        // What is refused as a whole, because the schema was replaced or elements are hidden, creates nothing.
        if answer.status < 300 { own += write.created }
        let isSound =
            switch answer.status {
            case 200..<300:
                // An import refuses single lines, for the same reason as 403 below.
                (answer["errors"]?.asArray ?? []).allSatisfy {
                    $0["code"]?.asString == StoreError.Code.hiddenElements.rawValue
                }
            // The link is null now.
            case 404: write.target.hasSuffix("/home") || write.target.hasSuffix("/friend")
            // A list with an element that its writer does not see.
            case 403: answer.code == StoreError.Code.hiddenElements.rawValue
            case 503: answer.code == StoreError.Code.schemaReplaced.rawValue
            default: false
            }
        return isSound && !text.contains("no stored property") ? nil : "\(write): \(answer)"
    }
}
