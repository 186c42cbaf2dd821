import Foundation
import RealmSwift
import TestBasics
import Testing

class NestedZoo: Object {
    @Persisted var animals: List<NestedZoo.Animal>
    @Persisted var cages: List<NestedZoo.Cage>
    override class func shouldIncludeInDefaultSchema() -> Bool { false }

    class Animal: Object {
        @Persisted(primaryKey: true) var id: Int
        @Persisted var name: String
        @Persisted var friend: NestedZoo.Animal?
        @Persisted var cage: NestedZoo.Cage?
        @Persisted(originProperty: "friend") var friends: LinkingObjects<NestedZoo.Animal>
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }

    class Cage: EmbeddedObject {
        @Persisted var size: Int
        override class func shouldIncludeInDefaultSchema() -> Bool { false }

        class Lock: EmbeddedObject {
            @Persisted var turns: Int
            override class func shouldIncludeInDefaultSchema() -> Bool { false }
        }
    }

    enum Parts {
        class Roof: Object {
            @Persisted var number: Int
            override class func shouldIncludeInDefaultSchema() -> Bool { false }
        }
    }

    class WithARatherLongNameThatLeavesLittleRoomForOthers: Object {
        @Persisted var number: Int
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }

    /// The class as earlier versions stored it.
    class Former: Object {
        @Persisted(primaryKey: true) var id: Int
        @Persisted var name: String
        @Persisted var friend: NestedZoo.Former?
        @Persisted var cage: NestedZoo.FormerCage?
        @Persisted(originProperty: "friend") var friends: LinkingObjects<NestedZoo.Former>
        override class func _realmObjectName() -> String? { "Animal" }
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }

    class FormerCage: EmbeddedObject {
        @Persisted var size: Int
        override class func _realmObjectName() -> String? { "Cage" }
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }
}

enum NestedHouse {
    class Tenant: Object {
        @Persisted var number: Int
        override class func shouldIncludeInDefaultSchema() -> Bool { false }

        class Key: EmbeddedObject {
            @Persisted var number: Int
            override class func shouldIncludeInDefaultSchema() -> Bool { false }
        }
    }
}

@Suite("Classes within other classes")
struct NestedClassTests {
    private static let types: [ObjectBase.Type] = [NestedZoo.Animal.self, NestedZoo.Cage.self]
    private static let former: [ObjectBase.Type] = [NestedZoo.Former.self, NestedZoo.FormerCage.self]

    @Test(
        "a class within another has both names; only its own if both are too long, or what is around it is not a class")
    func names() throws {
        #expect(NestedZoo.Animal.className() == "NestedZoo_Animal")
        #expect(NestedZoo.Cage.Lock.className() == "NestedZoo_Cage_Lock")
        #expect(
            NestedZoo.WithARatherLongNameThatLeavesLittleRoomForOthers.className()
                == "WithARatherLongNameThatLeavesLittleRoomForOthers")
        #expect(NestedZoo.Parts.Roof.className() == "Roof" && NestedZoo.className() == "NestedZoo")
        #expect(NestedHouse.Tenant.className() == "Tenant" && NestedHouse.Tenant.Key.className() == "Tenant_Key")
        let realm = try ParityRealm.open(Self.types)
        #expect(realm.schema["NestedZoo_Animal"]?["friend"]?.objectClassName == "NestedZoo_Animal")
        #expect(realm.schema["Animal"] == nil)
        try realm.write { realm.create(NestedZoo.Animal.self, value: [1, "Ann"]) }
        #expect(realm.dynamicObjects("NestedZoo_Animal").first?["name"] as? String == "Ann")
        #expect(realm.objects(NestedZoo.Animal.self).first?.description.hasPrefix("NestedZoo_Animal {") == true)
    }

    /// A file with one animal and its friend, under the names of earlier versions.
    private func formerFile() throws -> VersionedFile {
        let file = VersionedFile()
        let realm = try file.open(Self.former)
        try realm.write {
            let ann = realm.create(NestedZoo.Former.self, value: [1, "Ann"])
            realm.create(
                NestedZoo.Former.self,
                value: ["id": 2, "name": "Bob", "friend": ann, "cage": ["size": 3]] as [String: Any])
        }
        return file
    }

    @Test("a file that has the class by its own name alone keeps it, with all objects", arguments: [false, true])
    func formerNames(isReadOnly: Bool) throws {
        let file = try formerFile()
        do {
            let realm = try file.open(Self.types, isReadOnly: isReadOnly)
            let bob = try #require(realm.object(ofType: NestedZoo.Animal.self, forPrimaryKey: 2))
            #expect(bob.friend?.name == "Ann" && bob.cage?.size == 3 && bob.friend?.friends.first?.id == 2)
            #expect(realm.objects(NestedZoo.Animal.self).where { $0.friend.name == "Ann" }.count == 1)
            #expect(realm.objects(NestedZoo.Animal.self).filter("cage.size == 3 AND ANY friends.id == 2").count == 0)
            #expect(realm.schema["NestedZoo_Animal"]?["name"] != nil)
            #expect(realm.dynamicObjects("NestedZoo_Animal").count == 2)
            if !isReadOnly { try realm.write { realm.create(NestedZoo.Animal.self, value: [3, "Cy", bob]) } }
        }
        let again = try file.open(Self.former)
        #expect(again.objects(NestedZoo.Former.self).count == (isReadOnly ? 2 : 3))
    }

    @Test("such a file is migrated under both names")
    func migration() throws {
        let file = try formerFile()
        let realm = try file.open(Self.types, version: 1) { migration, _ in
            migration.enumerateObjects(ofType: "NestedZoo_Animal") { old, new in
                new?["name"] = "\(old?["name"] ?? "none")!"
            }
        }
        #expect(Array(realm.objects(NestedZoo.Animal.self).map(\.name)) == ["Ann!", "Bob!"])
    }

    @Test("beside a class of the same name outside of other classes, each has its own objects")
    func namesake() throws {
        let file = VersionedFile()
        do {
            let realm = try file.open([NestedNamesake.self])
            try realm.write { realm.create(NestedNamesake.self, value: [7]) }
        }
        let both: [ObjectBase.Type] = [NestedNamesake.self, NestedOuter.NestedNamesake.self]
        let realm = try file.open(both)
        #expect(realm.objects(NestedOuter.NestedNamesake.self).isEmpty)
        #expect(realm.objects(NestedNamesake.self).map(\.number) == [7])
        try realm.write { realm.create(NestedOuter.NestedNamesake.self, value: [8]) }
        #expect(realm.objects(NestedNamesake.self).map(\.number) == [7])
    }

    @Test("a class of the same name without any of its properties is another one")
    func stranger() throws {
        let file = VersionedFile()
        do {
            let realm = try file.open([NestedNamesake.self])
            try realm.write { realm.create(NestedNamesake.self, value: [7]) }
        }
        let realm = try file.open([NestedOther.NestedNamesake.self])
        #expect(realm.objects(NestedOther.NestedNamesake.self).isEmpty)
        #expect(realm.dynamicObjects("NestedNamesake").count == 1)
    }
}

class NestedNamesake: Object {
    @Persisted var number: Int
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class NestedOuter: Object {
    @Persisted var size: Int
    override class func shouldIncludeInDefaultSchema() -> Bool { false }

    class NestedNamesake: Object {
        @Persisted var number: Int
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }
}

class NestedOther: Object {
    @Persisted var size: Int
    override class func shouldIncludeInDefaultSchema() -> Bool { false }

    class NestedNamesake: Object {
        @Persisted var word: String
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }
}
