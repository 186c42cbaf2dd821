import Foundation
import RealmSwift
import Testing

// Tests which instances remain the same, and which are equal.

class SameOwner: Object {
    @Persisted var name: String
    @Persisted var numbers: List<Int>
    @Persisted var words: MutableSet<String>
    @Persisted var prices: Map<String, Double>
    @Persisted var parts: List<SamePart>
    @Persisted var friends: List<SameOwner>
    @Persisted var keyed: List<SameKeyed>
}

class SamePart: EmbeddedObject {
    @Persisted var size: Int
    @Persisted var marks: List<Int>
}

class SameKeyed: Object {
    @Persisted(primaryKey: true) var id: String
    @Persisted var tags: MutableSet<String>
}

@Suite("Instances that stay the same, and those that are equal")
struct SameInstanceTests {
    private func open() throws -> Realm {
        try Realm(
            configuration: Realm.Configuration(
                inMemoryIdentifier: UUID().uuidString,
                objectTypes: [SameOwner.self, SamePart.self, SameKeyed.self]))
    }

    @Test("the collections of an object that is added are the same instances, and write to the database")
    func added() throws {
        let realm = try open()
        let owner = SameOwner()
        let (numbers, words, prices, parts) = (owner.numbers, owner.words, owner.prices, owner.parts)
        let part = SamePart(value: ["size": 1, "marks": [7]])
        parts.append(part)
        let marks = part.marks
        numbers.append(1)
        try realm.write { realm.add(owner) }
        #expect(numbers === owner.numbers && words === owner.words && prices === owner.prices)
        #expect(parts === owner.parts && marks === part.marks)
        #expect(numbers.realm == realm && words.realm == realm && prices.realm == realm && marks.realm == realm)
        try realm.write {
            numbers.append(2)
            words.insert("a")
            prices["x"] = 1.5
            parts.append(SamePart(value: ["size": 2]))
            marks.append(8)
        }
        let stored = try #require(realm.objects(SameOwner.self).first)
        #expect(Array(stored.numbers) == [1, 2] && stored.words.contains("a") && stored.prices["x"] == 1.5)
        #expect(stored.parts.map(\.size) == [1, 2] && Array(stored.parts[0].marks) == [7, 8])
        #expect(stored.numbers === stored.numbers && stored.numbers !== owner.numbers)
        #expect(stored.numbers == owner.numbers)
    }

    @Test("a list that was assigned to several objects stays apart from theirs, which took its elements over")
    func shared() throws {
        let realm = try open()
        let (a, b) = (SameOwner(), SameOwner())
        let list = List<Int>()
        list.append(objectsIn: [1, 2])
        a.numbers = list
        b.numbers = list
        #expect(a.numbers !== b.numbers && a.numbers !== list && Array(b.numbers) == [1, 2])
        try realm.write {
            realm.add(a)
            realm.add(b)
            b.numbers.append(3)
            list.append(4)
        }
        #expect(list.realm == nil && Array(a.numbers) == [1, 2] && Array(b.numbers) == [1, 2, 3])
        let before = a.numbers
        try realm.write { a.numbers = b.numbers }
        #expect(a.numbers === before && Array(before) == [1, 2, 3])
    }

    @Test("objects that are linked to become managed with their collections, however they get there")
    func linked() throws {
        let realm = try open()
        let (owner, friend, other) = (SameOwner(), SameOwner(), SameOwner())
        let (numbers, words) = (friend.numbers, other.words)
        owner.friends.append(friend)
        try realm.write {
            realm.add(owner)
            owner.friends.append(other)
            numbers.append(5)
            words.insert("w")
        }
        #expect(numbers === friend.numbers && words === other.words)
        #expect(Array(owner.friends[0].numbers) == [5] && owner.friends[1].words.contains("w"))
    }

    @Test("what was made managed by a cancelled write, deleted or invalidated, leaves invalid collections")
    func invalid() throws {
        let realm = try open()
        let (owner, kept) = (SameOwner(), SameOwner())
        let numbers = owner.numbers
        realm.beginWrite()
        realm.add(owner)
        realm.cancelWrite()
        #expect(numbers.isInvalidated && owner.isInvalidated)
        let words = kept.words
        try realm.write { realm.add(kept) }
        #expect(!words.isInvalidated)
        realm.invalidate()
        #expect(words.isInvalidated)
        let again = try #require(realm.objects(SameOwner.self).first)
        #expect(again.words !== words && again.words.isEmpty)
        let last = again.words
        try realm.write { realm.delete(again) }
        #expect(last.isInvalidated)
    }

    @Test("frozen and thawed objects have collections of their own")
    func frozen() throws {
        let realm = try open()
        let owner = SameOwner()
        try realm.write {
            realm.add(owner)
            owner.numbers.append(1)
        }
        let frozen = owner.freeze()
        let numbers = owner.numbers
        try realm.write { numbers.append(2) }
        #expect(frozen.numbers.isFrozen && Array(frozen.numbers) == [1])
        let thawed = try #require(frozen.thaw())
        #expect(thawed.numbers == numbers && Array(thawed.numbers) == [1, 2])
    }

    @Test("contains, firstIndex(of:) and sets go by the row of keyed classes, else by the instance")
    func equality() throws {
        let realm = try open()
        let owner = SameOwner(value: ["name": "o"])
        let keyed = SameKeyed(value: ["id": "k"])
        var hashed: Set<SameKeyed> = [keyed]
        try realm.write {
            realm.add(owner)
            owner.friends.append(owner)
            owner.keyed.append(keyed)
        }
        let owners = realm.objects(SameOwner.self)
        #expect(!owners.contains(owner) && owners.firstIndex(of: owner) == nil)
        #expect(owners.index(of: owner) == 0 && owner.friends.index(of: owner) == 0)
        #expect(owners[0] != owner && owners[0].isSameObject(as: owner) && owner == owner)
        #expect(owner.freeze() == owners[0].freeze() && owner.freeze().hashValue == owners[0].freeze().hashValue)
        #expect(owner.freeze() != owner)

        let all = realm.objects(SameKeyed.self)
        #expect(all.contains(keyed) && all.firstIndex(of: keyed) == 0 && owner.keyed.contains(keyed))
        #expect(all[0] == keyed && all[0].hashValue == keyed.hashValue && Set([all[0], keyed]).count == 1)
        // It was inserted while unmanaged: the hash is that of its key.
        #expect(hashed.contains(keyed) && hashed.contains(all[0]))
        #expect(keyed.freeze() != keyed)
        #expect(SameKeyed(value: ["id": "k"]) != SameKeyed(value: ["id": "k"]))
        try realm.write { realm.delete(keyed) }
        #expect(hashed.contains(keyed))
        hashed.remove(keyed)
        #expect(hashed.isEmpty)
    }
}
