import Foundation
import RealmSwift

class ProofDog: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var name = ""
    @Persisted var age = 0
    @Persisted var weight: Double?
    @Persisted var owner: ProofOwner?
    @Persisted(originProperty: "dogs") var owners: LinkingObjects<ProofOwner>

    convenience init(_ id: Int, _ name: String = "", age: Int = 0) {
        self.init()
        (self.id, self.name, self.age) = (id, name, age)
    }
}

class ProofOwner: Object {
    @Persisted var name = ""
    @Persisted var dogs: List<ProofDog>
    @Persisted var pack: MutableSet<ProofDog>
    @Persisted var named: Map<String, ProofDog?>
    @Persisted var numbers: List<Int>
    @Persisted var digits: MutableSet<Int>
    @Persisted var others: MutableSet<Int>
    @Persisted var optionals: MutableSet<Int?>
    @Persisted var scores: Map<String, Int>
    @Persisted var home: ProofHome?
    @Persisted var homes: List<ProofHome>
    @Persisted var any: AnyRealmValue
}

class ProofHome: EmbeddedObject {
    @Persisted var street = ""
    @Persisted var number: Int?
    var ignored = 1

    convenience init(_ street: String) {
        self.init()
        self.street = street
    }
}

/// The forms of an object, all of which have the same tests.
enum Form: CaseIterable, Sendable {
    case unmanaged, inMemory, inFile

    static let types: [ObjectBase.Type] = [ProofDog.self, ProofOwner.self, ProofHome.self]
    static let managed = [Form.inMemory, .inFile]

    /// An owner, and a way to edit it.
    struct Stage {
        let owner: ProofOwner
        let realm: Realm?

        func edit(_ body: (ProofOwner) throws -> Void) throws {
            if let realm { try realm.write { try body(owner) } } else { try body(owner) }
        }
    }

    func stage<R>(_ body: (Stage) throws -> R) throws -> R {
        let owner = ProofOwner()
        if self == .unmanaged { return try body(Stage(owner: owner, realm: nil)) }
        let fixture = try self == .inFile ? FileFixture() : nil
        let configuration =
            fixture.map { Realm.Configuration(fileURL: $0.url("proof"), objectTypes: Self.types) }
            ?? Realm.Configuration(inMemoryIdentifier: UUID().uuidString, objectTypes: Self.types)
        let realm = try Realm(configuration: configuration)
        try realm.write { realm.add(owner) }
        defer { withExtendedLifetime(fixture) {} }
        return try body(Stage(owner: owner, realm: realm))
    }

    /// Returns the message of an edit that is not allowed; nil if it is.
    func message(_ edit: @escaping @Sendable (ProofOwner) throws -> Void) async -> String? {
        await exception { try stage { try $0.edit(edit) } }
    }

    /// Returns the message of the same edit outside of a write transaction.
    static func messageOutside(_ edit: @escaping @Sendable (ProofOwner) throws -> Void) async -> String? {
        await exception { try Form.inMemory.stage { try edit($0.owner) } }
    }
}
