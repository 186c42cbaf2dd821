import LiveTesting
import ObjectModel
import StoreContract
import StoreTesting
import Testing

@testable import ViewMaintenance
@testable import LiveQueries

/// The meaning of key paths, and the rejected ones.
struct KeyPathTests {
    /// A zoo has animals in every kind of collection; `any` may hold keepers, who have a name, or tickets, which have a
    /// price.
    static let schema = Schema(
        version: 1,
        classes: [
            ClassSchema(
                "Zoo",
                properties: [
                    PropertySchema("name", PropertyType(.string)),
                    PropertySchema("lion", PropertyType(.link("Animal"), isOptional: true)),
                    PropertySchema("birds", PropertyType(.link("Animal"), collection: .list)),
                    PropertySchema("fish", PropertyType(.link("Animal"), collection: .set)),
                    PropertySchema("stars", PropertyType(.link("Animal"), isOptional: true, collection: .map)),
                    PropertySchema("any", PropertyType(.mixed)),
                    PropertySchema("many", PropertyType(.mixed, collection: .list)),
                    PropertySchema("gate", PropertyType(.link("Gate"), isOptional: true)),
                ]),
            ClassSchema(
                "Animal",
                properties: [
                    PropertySchema("name", PropertyType(.string)),
                    PropertySchema("legs", PropertyType(.int)),
                    PropertySchema("homes", PropertyType(.linkingObjects(fromClass: "Zoo", property: "birds"))),
                    PropertySchema("mother", PropertyType(.link("Animal"), isOptional: true)),
                ]),
            ClassSchema(
                "Keeper",
                properties: [
                    PropertySchema("name", PropertyType(.string)),
                    PropertySchema("pet", PropertyType(.link("Animal"), isOptional: true)),
                ]),
            ClassSchema("Ticket", properties: [PropertySchema("price", PropertyType(.int))]),
            ClassSchema("Gate", isEmbedded: true, properties: [PropertySchema("width", PropertyType(.int))]),
        ])

    static let (zoo, animal, keeper, ticket, gate) = (ClassID(1), ClassID(2), ClassID(3), ClassID(4), ClassID(5))

    static func property(_ name: String, _ classID: ClassID) throws -> PropertyID {
        try #require(schema[classID]?[name]?.id, "\(name)")
    }

    static func path(_ text: String, in classID: ClassID = zoo) throws -> LiveKeyPath {
        try LiveKeyPath(text, in: classID, of: schema)
    }

    struct Refusal: Sendable, CustomTestStringConvertible {
        let path: String
        let message: String
        var hint: String?
        var testDescription: String { path }
    }

    @Test(
        "a path that does not exist is refused in words that name the property and the class",
        arguments: [
            Refusal(
                path: "nmae", message: "Invalid property name: property 'nmae' not found in object of type 'Zoo'",
                hint: "name"),
            Refusal(
                path: "birds.leg",
                message: "Invalid property name: property 'leg' not found in object of type 'Animal'",
                hint: "legs"),
            Refusal(
                path: "gate.wdith",
                message: "Invalid property name: property 'wdith' not found in object of type 'Gate'",
                hint: "width"),
            Refusal(path: "", message: "Invalid property name: property '' not found in object of type 'Zoo'"),
            Refusal(path: "lion.", message: "Invalid property name: property '' not found in object of type 'Animal'"),
            Refusal(
                path: "name.size", message: "Property 'Zoo.name' is not a link and has no property 'size'."),
            Refusal(
                path: "any.prise",
                message:
                    "Invalid property name: property 'prise' not found in object of any type that 'Zoo.any' can link to",
                hint: "price"),
            Refusal(
                path: "any.pet.wings",
                message: "Invalid property name: property 'wings' not found in object of type 'Animal'"),
            // Mixed values cannot link to embedded objects.
            Refusal(
                path: "many.width",
                message:
                    "Invalid property name: property 'width' not found in object of any type that 'Zoo.many' can link to"
            ),
            Refusal(
                path: "*.wings",
                message:
                    "'*' matches no property of class 'Zoo' after which the key path can continue."),
            Refusal(
                path: "birds.*.wings",
                message:
                    "'*' matches no property of class 'Animal' after which the key path can continue."),
        ])
    func refusals(_ refusal: Refusal) throws {
        let error = #expect(throws: StoreError.self) { try Self.path(refusal.path) }
        #expect(error?.code == .unknownProperty)
        #expect(error?.message == refusal.message)
        #expect(error?.hint == refusal.hint)
    }

    @Test("where wildcards are not enabled, '*' is a name that no property has")
    func plainStar() {
        let error = #expect(throws: StoreError.self) {
            try LiveKeyPath("*", in: Self.zoo, of: Self.schema, takesWildcards: false)
        }
        #expect(error?.message == "Invalid property name: property '*' not found in object of type 'Zoo'")
    }

    @Test("paths that match too much, or are too long, are rejected")
    func tooWide() {
        for text in ["*.*.*.*.*.*.*.*.*.*", Array(repeating: "mother", count: 101).joined(separator: ".")] {
            let error = #expect(throws: StoreError.self) { try Self.path(text, in: Self.animal) }
            #expect(error?.code == .keyPathTooWide)
        }
    }

    struct Example: Sendable, CustomTestStringConvertible {
        let path: String
        let changes: Set<Change>
        var testDescription: String { path }

        init(_ path: String, _ changes: Set<Change>) {
            self.path = path
            self.changes = changes
        }
    }

    enum Change: String, CaseIterable, Sendable {
        case name, lion, lionName, lionMother, motherName, birds, birdName, fishName, starName, any, keeperName, petName
        case ticketPrice, gateWidth, newGate
    }

    @Test(
        "each path finds what it names, behind links of every shape, and nothing else",
        arguments: [
            Example("name", [.name]), Example("lion", [.lion]), Example("lion.name", [.lion, .lionName]),
            Example("lion.mother.name", [.lion, .lionMother, .motherName]),
            Example("birds.name", [.birds, .birdName]), Example("fish.name", [.fishName]),
            Example("stars.name", [.starName]), Example("any", [.any]), Example("any.name", [.any, .keeperName]),
            Example("any.pet", [.any]), Example("any.pet.name", [.any, .petName]),
            Example("many.price", [.ticketPrice]),
            Example("many.*", [.ticketPrice]), Example("gate.width", [.gateWidth, .newGate]),
            Example("gate", [.newGate]),
            Example("*", [.name, .lion, .birds, .any, .newGate]),
            Example(
                "*.name",
                [.lion, .lionName, .birds, .birdName, .fishName, .starName, .any, .keeperName]),
            Example("*.width", [.gateWidth, .newGate]),
            Example(
                "*.*",
                [
                    .name, .lion, .lionName, .lionMother, .birds, .birdName, .fishName, .starName, .any, .keeperName,
                    .ticketPrice, .gateWidth, .newGate,
                ]),
            // The lion's homes are linking objects.
            Example("lion.*", [.lion, .lionName, .lionMother, .birds]), Example("name.*", [.name]),
            Example("lion.*.name", [.lion, .lionMother, .motherName, .birds]),
            Example("any.*.name", [.any, .petName]),
        ])
    func found(_ example: Example) throws {
        let world = try ZooFixture()
        let filter = KeyPathFilter([try Self.path(example.path)])
        for change in Change.allCases {
            let step = try world.step(change)
            let expected: Set = example.changes.contains(change) ? [world.zoo] : []
            #expect(try filter.modifiedRoots(by: step) == expected, "\(change)")
        }
    }

    @Test("linking objects after a star are modified when an object starts or stops linking")
    func starsOverLinkingObjects() throws {
        let world = try ZooFixture()
        let filter = KeyPathFilter([try Self.path("*", in: Self.animal)])
        // The second bird flies in.
        let step = try world.step(.birds)
        #expect(try filter.modifiedRoots(by: step) == [world.lion])
        #expect(
            try filter.branches.changedProperties(of: world.lion, by: step).members == [
                Self.property("homes", Self.animal)
            ])
    }

    @Test("paths are equal when they mean the same, also with a wildcard")
    func equality() throws {
        #expect(try Self.path("birds.name") == Self.path("birds.name"))
        #expect(try Self.path("birds.name") != Self.path("birds.legs"))
        #expect(try Self.path("*.width") == Self.path("*.width"))
        #expect(try Set([Self.path("*"), Self.path("*"), Self.path("name")]).count == 2)
    }

    @Test("a wildcard matches the properties that a new schema adds, and a path with a removed property is rejected")
    func newSchema() throws {
        var classes = Self.schema.classes
        classes[0].properties.append(PropertySchema("opened", PropertyType(.date, isOptional: true)))
        classes[3].properties.append(PropertySchema("name", PropertyType(.string, isOptional: true)))
        let wider = Schema(version: 2, classes: classes).adoptingIdentities(of: Self.schema)
        let opened = try #require(wider[Self.zoo]?["opened"]?.id)
        var filter = KeyPathFilter([try Self.path("*"), try Self.path("any.name")])
        try filter.adopt(wider)
        #expect(filter.paths[0].branches.contains { $0.property == opened })
        #expect(filter.paths[1].classes.contains(Self.ticket))
        classes[0].properties.removeAll { $0.name == "any" }
        let narrower = Schema(version: 3, classes: classes).adoptingIdentities(of: wider)
        #expect(throws: StoreError.self) { try filter.adopt(narrower) }
        var plain = KeyPathFilter([try Self.path("birds.name")])
        try plain.adopt(narrower)
        classes[0].properties.removeAll { $0.name == "birds" }
        classes[1].properties.removeAll { $0.name == "homes" }
        #expect(throws: StoreError.self) {
            try plain.adopt(Schema(version: 4, classes: classes).adoptingIdentities(of: narrower))
        }
    }

    /// One zoo with everything in it.
    struct ZooFixture {
        let store: ModelStore
        let zoo: ObjectKey
        let lion: ObjectKey
        private let others: [ObjectKey]

        init() throws {
            store = try ModelStore(schema)
            (zoo, others) = try store.write { transaction in
                func animal(_ name: String) throws -> ObjectKey {
                    try transaction.create(
                        KeyPathTests.animal, [property("name", KeyPathTests.animal): .string(name)])
                }
                let mother = try animal("mother")
                let lion = try animal("lion")
                try transaction.set(
                    KeyPathTests.animal, lion, [property("mother", KeyPathTests.animal): .link(mother)])
                let (bird, fish, star, pet) = try (animal("bird"), animal("fish"), animal("star"), animal("pet"))
                let keeper = try transaction.create(
                    KeyPathTests.keeper,
                    [
                        property("name", KeyPathTests.keeper): .string("Kim"),
                        property("pet", KeyPathTests.keeper): .link(pet),
                    ])
                let ticket = try transaction.create(
                    KeyPathTests.ticket, [property("price", KeyPathTests.ticket): .int(1)])
                let zoo = try transaction.create(
                    KeyPathTests.zoo,
                    [
                        property("name", KeyPathTests.zoo): .string("Zoo"),
                        property("lion", KeyPathTests.zoo): .link(lion),
                        property("birds", KeyPathTests.zoo): .list([.link(bird)]),
                        property("fish", KeyPathTests.zoo): .set([.link(fish)]),
                        property("stars", KeyPathTests.zoo): .dictionary(ValueMap([("first", .link(star))])),
                        property("any", KeyPathTests.zoo): .list([
                            .reference(ObjectReference(KeyPathTests.keeper, keeper))
                        ]),
                        property("many", KeyPathTests.zoo): .list([
                            .reference(ObjectReference(KeyPathTests.ticket, ticket))
                        ]),
                        property("gate", KeyPathTests.zoo): .embedded([property("width", KeyPathTests.gate): .int(3)]),
                    ])
                return (zoo, [mother, lion, bird, fish, star, pet, keeper, ticket])
            }
            lion = others[1]
        }

        func step(_ change: Change) throws -> VersionDelta {
            let before = try store.snapshot()
            let (zoo, others) = (zoo, others)
            try store.write { transaction in
                func rename(_ number: Int, _ classID: ClassID = KeyPathTests.animal) throws {
                    try transaction.set(classID, others[number], [property("name", classID): .string("new")])
                }
                func set(_ name: String, _ value: Value) throws {
                    try transaction.set(KeyPathTests.zoo, zoo, [property(name, KeyPathTests.zoo): value])
                }
                switch change {
                case .name: try set("name", .string("new"))
                case .lion: try set("lion", .link(others[1]))
                case .lionName: try rename(1)
                case .lionMother:
                    try transaction.set(
                        KeyPathTests.animal, others[1], [property("mother", KeyPathTests.animal): .link(others[0])])
                case .motherName: try rename(0)
                case .birds:
                    let birds = try transaction.value(KeyPathTests.zoo, zoo, property("birds", KeyPathTests.zoo))
                    try set("birds", .list(birds.linkedKeys.map { .link($0) } + [.link(others[1])]))
                case .birdName: try rename(2)
                case .fishName: try rename(3)
                case .starName: try rename(4)
                case .any:
                    try set("any", .reference(ObjectReference(KeyPathTests.keeper, others[6])))
                case .keeperName: try rename(6, KeyPathTests.keeper)
                case .petName: try rename(5)
                case .ticketPrice:
                    try transaction.set(
                        KeyPathTests.ticket, others[7], [property("price", KeyPathTests.ticket): .int(2)])
                case .gateWidth:
                    let gate = try transaction.value(KeyPathTests.zoo, zoo, property("gate", KeyPathTests.zoo))
                    for key in gate.linkedKeys {
                        try transaction.set(KeyPathTests.gate, key, [property("width", KeyPathTests.gate): .int(9)])
                    }
                case .newGate:
                    try set("gate", .embedded([property("width", KeyPathTests.gate): .int(4)]))
                }
            }
            let after = try store.snapshot()
            let changes = try #require(try store.changes(after: before.version)?.first)
            return VersionDelta(changes, from: before, to: after)
        }
    }
}
