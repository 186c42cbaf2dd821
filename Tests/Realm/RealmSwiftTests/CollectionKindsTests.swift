import Foundation
import Promises
import RealmSwift
import Testing

/// Tests for every kind of collection and every type of value.
@Suite("Collections of every kind")
struct CollectionKindsTests {
    private let fixture = QueueFixture([SectionWord.self, SectionShelf.self])

    @Test("values of every type have sections, in lists, sets, results and whatever holds them")
    func sections() throws {
        let realm = try CollectionsRealm.open()
        let all = CollectionsAll()
        try realm.write { realm.add(all) }
        func check<E: CollectionsSamples>(_ list: List<E>, _ set: MutableSet<E>) throws {
            let samples = E.samples
            try realm.write {
                list.append(objectsIn: samples + samples)
                set.insert(objectsIn: samples)
            }
            // Two sections: the values equal to the first sample, and the others.
            @Sendable func isFirst(_ value: E) -> Bool { value == E.samples[0] }
            func count<C: RealmCollection>(_ collection: C, _ times: Int) where C.Element == E {
                for ascending in [true, false] {
                    let sections = collection.sectioned(by: isFirst, ascending: ascending)
                    #expect(Set(sections.allKeys) == [true, false], "\(E.self)")
                    #expect(sections.map { $0.count }.reduce(0, +) == samples.count * times, "\(E.self)")
                    for section in sections { #expect(section.allSatisfy { isFirst($0) == section.key }) }
                    let frozen = sections.freeze()
                    #expect(frozen.isFrozen && frozen.allKeys == sections.allKeys && frozen.thaw()?.count == 2)
                }
            }
            count(list, 2)
            count(set, 1)
            count(AnyRealmCollection(list), 2)
            count(list.freeze(), 2)
        }
        try check(all.intList, all.intSet)
        try check(all.int8List, all.int8Set)
        try check(all.boolList, all.boolSet)
        try check(all.floatList, all.floatSet)
        try check(all.doubleList, all.doubleSet)
        try check(all.stringList, all.stringSet)
        try check(all.dataList, all.dataSet)
        try check(all.dateList, all.dateSet)
        try check(all.decimalList, all.decimalSet)
        try check(all.objectIdList, all.objectIdSet)
        try check(all.uuidList, all.uuidSet)
        try check(all.mixedList, all.mixedSet)
        try check(all.intOptionalList, all.intOptionalSet)
        try check(all.boolOptionalList, all.boolOptionalSet)
        try check(all.stringOptionalList, all.stringOptionalSet)
        try check(all.dateOptionalList, all.dateOptionalSet)
        try check(all.decimalOptionalList, all.decimalOptionalSet)
        try check(all.colorList, all.colorSet)
        #expect(all.intList.sorted().sectioned(by: { $0 > 1 }).allKeys == [false, true])
    }

    @Test("the sections of a computed property are sorted by the stored one that it reads")
    func computed() throws {
        try fixture.run { realm in
            try realm.write {
                for (id, word) in ["bat", "ape", "bee"].enumerated() {
                    realm.create(SectionWord.self, value: ["id": id, "word": word])
                }
            }
            let words = realm.objects(SectionWord.self)
            #expect(words.sectioned(by: \.initial).map { $0.map(\.word) } == [["ape"], ["bat", "bee"]])
            #expect(words.sectioned(by: \.initial, ascending: false).allKeys == ["b", "a"])
            #expect(words.sectioned(by: \.initial, sortDescriptors: ["word"]).allKeys == ["a", "b"])
            let views = realm.objects(SectionWordView.self)
            #expect(views.sectioned(by: \.letter).map { $0.map(\.text) } == [["ape"], ["bat", "bee"]])
            #expect(views.sectioned(by: \.letter, sortDescriptors: ["word"]).allKeys == ["a", "b"])
            #expect(_name(for: \SectionWord.initial) == "word" && _name(for: \SectionWordView.letter) == "word")
        }
    }

    @Test("the sum of nothing is zero", arguments: [false, true])
    func zeros(_ isManaged: Bool) throws {
        #expect(List<Int8>().sum() == 0 && List<Double>().sum() == 0 && List<Decimal128>().sum() == 0)
        let all = CollectionsAll()
        if isManaged {
            let realm = try CollectionsRealm.open()
            try realm.write { realm.add(all) }
        }
        func check<E: RealmCollectionValue & AddableType>(_ list: List<E>, _ set: MutableSet<E>)
        where E.PersistedType: AddableType {
            #expect(list.sum() == E._noSum() && set.sum() == E._noSum())
        }
        check(all.intList, all.intSet)
        check(all.floatList, all.floatSet)
        check(all.decimalList, all.decimalSet)
    }

    @Test("what is frozen is not observed")
    func frozen() async {
        for body: @Sendable (ProofOwner) -> Void in [
            { _ = $0.dogs.freeze().observe { _ in } }, { _ = $0.pack.freeze().observe { _ in } },
            { _ = $0.named.freeze().observe { _ in } },
            { _ = $0.realm?.objects(ProofDog.self).freeze().observe { _ in } },
            { _ = $0.freeze().observe { (_: ObjectChange<ProofOwner>) in } },
            { _ = $0.dogs.freeze().sectioned(by: \.age).observe { _ in } },
        ] {
            #expect(
                await Form.messageOutside(body) == "Frozen Realms do not change and do not have change notifications.")
        }
    }

    @Test("what is frozen is queried, and stays frozen", arguments: Form.managed)
    func frozenQueries(_ form: Form) throws {
        try form.stage { stage in
            let dogs = [ProofDog(1, age: 3), ProofDog(2, age: 1), ProofDog(3, age: 3)]
            try stage.edit { $0.dogs.append(objectsIn: dogs) }
            let frozen = stage.owner.dogs.freeze()
            try stage.edit { $0.dogs.removeAll() }
            let old = frozen.filter("age == 3")
            #expect(old.isFrozen && old.map(\.id) == [1, 3] && frozen.sorted(byKeyPath: "age").map(\.id) == [2, 1, 3])
            #expect(frozen.distinct(by: ["age"]).map(\.id) == [1, 2] && frozen.max(of: \.age) == 3)
            #expect(old.thaw()?.isEmpty == true && frozen[0].owners.map(\.dogs.count) == [3])
        }
    }

    @Test("distinct by what is unknown, an operator, or a collection")
    func distinct() async {
        for path in ["nothing", "@sum.age", "owners", "owner.dogs"] {
            #expect(
                await Form.messageOutside { _ = $0.realm?.objects(ProofDog.self).distinct(by: [path]).count } != nil,
                "\(path)")
        }
        #expect(await Form.messageOutside { _ = $0.realm?.objects(ProofDog.self).distinct(by: ["age"]) } == nil)
    }

    @Test("a collection is assigned by name from whatever has elements of its kind", arguments: Form.managed)
    func assigning(_ form: Form) throws {
        try form.stage { stage in
            try stage.edit { owner in
                owner.dogs.append(objectsIn: [ProofDog(1), ProofDog(2)])
                owner["pack"] = owner.dogs
                owner["dogs"] = stage.realm?.objects(ProofDog.self).filter("id == 2")
            }
            #expect(stage.owner.dogs.map(\.id) == [2] && stage.owner.pack.map(\.id) == [1, 2])
            let owners = try #require(stage.realm?.objects(ProofOwner.self))
            let dogs = try #require(stage.realm?.objects(ProofDog.self))
            #expect(owners.filter("ANY dogs IN %@", dogs).count == 1)
            #expect(owners.filter("ANY dogs IN %@", dogs.filter("id == 1")).isEmpty)
        }
    }

    @Test("ProjectedCollection is printed with positions, and observed by properties of the elements' class")
    func projected() async throws {
        let fixture = QueueFixture(ProjectionTests.types)
        try fixture.run { realm in
            try realm.write {
                realm.create(
                    ProjectedPerson.self, value: ["friends": [["firstName": "Ann"], ["firstName": "Bo"]]])
            }
            let names = realm.objects(PersonView.self)[0].friendNames
            #expect(names.description == "ProjectedCollection<String> {\n\t[0] Ann\n\t[1] Bo\n}")
            fixture.keep(
                names.observe(keyPaths: ["age"]) { change in
                    if case .update(let names, _, _, let modifications) = change {
                        fixture.note("\(Array(names)) \(modifications)")
                    } else {
                        fixture.note("initial")
                    }
                })
        }
        _ = try await fixture.notes(1)
        for (name, age) in [("Cy", 0), ("Di", 5)] {
            try fixture.run { realm in
                try realm.write {
                    let friend = realm.objects(ProjectedPerson.self)[1]
                    friend.firstName = name
                    if age > 0 { friend.age = age }
                }
                realm.refresh()
            }
        }
        #expect(try await fixture.notes(2) == ["initial", #"["Di", "Bo"] [0]"#])
    }

    // MARK: Versions of references

    /// Runs on a thread of its own, without a run loop.
    private func elsewhere<R: Sendable>(_ body: @escaping @Sendable () throws -> R) throws -> R {
        let result = Promise<Result<R, any Error>>()
        Thread.detachNewThread { result.set(Result { try body() }) }
        return try result.wait().get()
    }

    @Test("Realm.resolve(_:) a realm that nothing was read from takes up the reference's version")
    func versions() throws {
        let configuration = fixture.configuration
        let word = try fixture.run { realm in
            let word = try realm.write { realm.create(SectionWord.self, value: ["id": 1, "word": "old"]) }
            defer { try? realm.write { realm.delete(word) } }
            let words = realm.objects(SectionWord.self)
            return (
                ThreadSafeReference(to: word), ThreadSafeReference(to: word), ThreadSafeReference(to: words),
                ThreadSafe(wrappedValue: words)
            )
        }
        let found: [String] = try elsewhere {
            let realm = try Realm(configuration: configuration)
            let old = realm.resolve(word.0)?.word
            let words = realm.resolve(word.2)
            let before = words?.count
            #expect(realm.refresh() && !realm.refresh())
            return [old ?? "nil", "\(before ?? -1)", realm.resolve(word.1)?.word ?? "nil", "\(words?.count ?? -1)"]
        }
        #expect(found == ["old", "1", "nil", "0"])
        let wrapped: Int? = try elsewhere { word.3.wrappedValue?.count }
        #expect(wrapped == 1)
        // A realm that has a version refreshes only if the reference is newer.
        let fixture = fixture
        let moved: [String] = try elsewhere {
            let realm = try Realm(configuration: configuration)
            let before = realm.objects(SectionWord.self).count
            let reference = try fixture.run { realm in
                try realm.write {
                    ThreadSafeReference(to: realm.create(SectionWord.self, value: ["id": 2, "word": "new"]))
                }
            }
            let word = realm.resolve(reference)?.word
            return ["\(before)", word ?? "nil", "\(realm.objects(SectionWord.self).count)"]
        }
        #expect(moved == ["0", "new", "1"])
    }

    @Test("Realm.resolve(_:) gives nothing in a realm of another file")
    func otherFile() throws {
        let reference = try fixture.run { realm in
            ThreadSafeReference(to: try realm.write { realm.create(SectionWord.self, value: ["id": 1]) })
        }
        #expect(try QueueFixture([SectionWord.self]).run { $0.resolve(reference) == nil })
        #expect(reference.isInvalidated)
    }

    @Test("Realm.init(configuration:queue:) a realm is at the newest version when it is first looked at")
    func firstLook() throws {
        let fixture = fixture
        let configuration = fixture.configuration
        @Sendable func add(_ id: Int) throws {
            try fixture.run { realm in try realm.write { _ = realm.create(SectionWord.self, value: ["id": id]) } }
        }
        let counts: [Int] = try elsewhere {
            let realm = try Realm(configuration: configuration)
            try add(1)
            let first = realm.objects(SectionWord.self).count
            try add(2)
            return [first, realm.objects(SectionWord.self).count]
        }
        #expect(counts == [1, 1])
    }
}
