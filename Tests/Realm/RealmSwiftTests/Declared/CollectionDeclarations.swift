import Foundation
import RealmSwift
import Testing

/// The declarations of collections, one by one: on unmanaged objects, in memory and in a file.
@Suite("Declarations: collections")
struct CollectionDeclarations {
    static let outsideList = "Cannot modify managed RLMArray outside of a write transaction."
    static let outsideSet = "Cannot modify managed RLMSet outside of a write transaction."
    static let outsideMap = "Cannot modify managed RLMDictionary outside of a write transaction."
    static let negative = "Cannot pass a negative value for 'index'."

    static func beyond(_ index: Int, _ count: Int) -> String {
        "Index \(index) is out of bounds (must be less than \(count))."
    }

    /// A list edit with its result for 1, 2, 3, 4.
    struct Edit: Sendable, CustomTestStringConvertible {
        let name: String
        let edit: @Sendable (List<Int>) -> Void
        let result: [Int]
        var testDescription: String { name }
        init(_ name: String, _ result: [Int], _ edit: @escaping @Sendable (List<Int>) -> Void) {
            (self.name, self.result, self.edit) = (name, result, edit)
        }
    }

    static let edits: [Edit] = {
        var edits: [Edit] = []
        edits.append(Edit("append(_:)", [1, 2, 3, 4, 1]) { $0.append(1) })
        edits.append(Edit("append(objectsIn:)", [1, 2, 3, 4, 4, 5]) { $0.append(objectsIn: [4, 5]) })
        edits.append(Edit("append(objectsIn:) itself", [1, 2, 3, 4, 1, 2, 3, 4]) { $0.append(objectsIn: $0) })
        edits.append(Edit("insert(_:at:) 0", [9, 1, 2, 3, 4]) { $0.insert(9, at: 0) })
        edits.append(Edit("insert(_:at:) end", [1, 2, 3, 4, 9]) { $0.insert(9, at: 4) })
        edits.append(Edit("insert(contentsOf:at:)", [1, 8, 9, 2, 3, 4]) { $0.insert(contentsOf: [8, 9], at: 1) })
        edits.append(Edit("insert(contentsOf:at:) end", [1, 2, 3, 4, 8]) { $0.insert(contentsOf: [8], at: 4) })
        edits.append(Edit("remove(at:)", [1, 2, 4]) { $0.remove(at: 2) })
        edits.append(Edit("removeFirst()", [2, 3, 4]) { $0.removeFirst() })
        edits.append(Edit("removeFirst(_:)", [3, 4]) { $0.removeFirst(2) })
        edits.append(Edit("removeFirst(0)", [1, 2, 3, 4]) { $0.removeFirst(0) })
        edits.append(Edit("removeLast()", [1, 2, 3]) { $0.removeLast() })
        edits.append(Edit("removeLast(_:)", []) { $0.removeLast(4) })
        edits.append(Edit("removeAll()", []) { $0.removeAll() })
        edits.append(Edit("removeSubrange(_:)", [1, 4]) { $0.removeSubrange(1..<3) })
        edits.append(Edit("removeSubrange(_:) partial", [1, 2]) { $0.removeSubrange(2...) })
        edits.append(Edit("removeSubrange(_:) all", []) { $0.removeSubrange(...3) })
        edits.append(Edit("remove(atOffsets:)", [2, 4]) { $0.remove(atOffsets: [0, 2]) })
        edits.append(Edit("remove(atOffsets:) none", [1, 2, 3, 4]) { $0.remove(atOffsets: []) })
        edits.append(Edit("replace(index:object:)", [1, 9, 3, 4]) { $0.replace(index: 1, object: 9) })
        edits.append(Edit("move(from:to:) up", [2, 3, 1, 4]) { $0.move(from: 0, to: 2) })
        edits.append(Edit("move(from:to:) down", [4, 1, 2, 3]) { $0.move(from: 3, to: 0) })
        edits.append(Edit("move(from:to:) itself", [1, 2, 3, 4]) { $0.move(from: 1, to: 1) })
        edits.append(Edit("swapAt(_:_:)", [4, 2, 3, 1]) { $0.swapAt(0, 3) })
        edits.append(Edit("swapAt(_:_:) itself", [1, 2, 3, 4]) { $0.swapAt(2, 2) })
        // As for an array: to the position before that element.
        edits.append(Edit("move(fromOffsets:toOffset:) up", [2, 1, 3, 4]) { $0.move(fromOffsets: [0], toOffset: 2) })
        edits.append(
            Edit("move(fromOffsets:toOffset:) end", [2, 4, 1, 3]) { $0.move(fromOffsets: [0, 2], toOffset: 4) })
        edits.append(
            Edit("move(fromOffsets:toOffset:) begin", [3, 4, 1, 2]) { $0.move(fromOffsets: [2, 3], toOffset: 0) })
        edits.append(Edit("replaceSubrange(_:with:)", [1, 7, 8, 9, 4]) { $0.replaceSubrange(1..<3, with: [7, 8, 9]) })
        edits.append(Edit("replaceSubrange(_:with:) fewer", [1, 4]) { $0.replaceSubrange(1...2, with: []) })
        edits.append(Edit("replaceSubrange(_:with:) empty", [1, 9, 2, 3, 4]) { $0.replaceSubrange(1..<1, with: [9]) })
        edits.append(Edit("subscript", [1, 2, 9, 4]) { $0[2] = 9 })
        edits.append(Edit("subscript read", [1, 2, 3, 4, 3]) { $0.append($0[2]) })
        return edits
    }()

    @Test(
        """
        List List.{append(_:),append(objectsIn:),insert(_:at:),insert(contentsOf:at:),remove(at:),removeFirst(_:)} \
        List.{removeLast(_:),removeAll(),removeSubrange(_:),remove(atOffsets:),replace(index:object:),move(from:to:)} \
        List.{swapAt(_:_:),move(fromOffsets:toOffset:),replaceSubrange(_:with:),subscript} each edit's result
        """, arguments: edits, Form.allCases)
    func list(_ edit: Edit, _ form: Form) throws {
        try form.stage { stage in
            try stage.edit { $0.numbers.append(objectsIn: [1, 2, 3, 4]) }
            try stage.edit { edit.edit($0.numbers) }
            #expect(Array(stage.owner.numbers) == edit.result)
        }
    }

    @Test("List.append(_:) managed lists change in writes only, whatever changes them", arguments: edits)
    func listOutside(_ edit: Edit) async {
        #expect(
            await exception {
                try Form.inMemory.stage { stage in
                    try stage.edit { $0.numbers.append(objectsIn: [1, 2, 3, 4]) }
                    edit.edit(stage.owner.numbers)
                }
            } == Self.outsideList)
    }

    @Test("List.subscript positions that do not exist", arguments: Form.allCases)
    func listPositions(_ form: Form) async {
        @Sendable func message(_ edit: @escaping @Sendable (List<Int>) -> Void) async -> String? {
            await form.message { owner in
                owner.numbers.append(objectsIn: [1, 2])
                edit(owner.numbers)
            }
        }
        #expect(await message { _ = $0[2] } == Self.beyond(2, 2))
        #expect(await message { $0[5] = 1 } == Self.beyond(5, 2))
        #expect(await message { $0.insert(1, at: 3) } == Self.beyond(3, 3))
        #expect(await message { $0.insert(contentsOf: [1], at: 3) } == Self.beyond(3, 3))
        #expect(await message { $0.move(from: 2, to: 0) } == Self.beyond(2, 2))
        #expect(await message { $0.move(from: 0, to: 2) } == Self.beyond(2, 2))
        #expect(await message { $0.move(from: -1, to: 0) } == Self.negative)
        #expect(await message { $0.move(fromOffsets: [2], toOffset: 0) } == Self.beyond(2, 2))
        #expect(await message { $0.remove(at: 2) } == Self.beyond(2, 2))
        #expect(await message { $0.replace(index: -1, object: 1) } == Self.negative)
        #expect(await message { $0.removeFirst(3) } != nil)
        #expect(await message { $0.removeLast(3) } != nil)
        #expect(await message { $0.removeSubrange(0..<3) } == Self.beyond(2, 2))
        #expect(await message { $0.remove(at: 1) } == nil)
    }

    @Test("List duplicates and order are kept; deleted objects disappear", arguments: Form.managed)
    func listOfObjects(_ form: Form) throws {
        try form.stage { stage in
            let (a, b) = (ProofDog(1, "a"), ProofDog(2, "b"))
            try stage.edit { $0.dogs.append(objectsIn: [b, a, b]) }
            #expect(stage.owner.dogs.map(\.id) == [2, 1, 2] && a.realm == stage.realm)
            try stage.edit { _ in stage.realm?.delete(b) }
            #expect(stage.owner.dogs.map(\.id) == [1])
            // An object removed from the list stays in the realm; an embedded one is deleted.
            try stage.edit {
                $0.dogs.removeAll()
                $0.homes.append(objectsIn: [ProofHome("x"), ProofHome("y")])
                $0.homes.removeFirst()
            }
            #expect(stage.realm?.objects(ProofDog.self).count == 1 && stage.realm?.objects(ProofHome.self).count == 1)
        }
    }

    @Test("List.projectTo leads key paths to the elements' properties")
    func projectTo() async {
        #expect(_name(for: \ProofOwner.dogs.projectTo.name) == "dogs.name")
        #expect(await exception { _ = ProofOwner().dogs.projectTo } != nil)
    }

    @Test("List is Codable: as an array", arguments: Form.allCases)
    func listCodable(_ form: Form) throws {
        try form.stage { stage in
            try stage.edit { $0.numbers.append(objectsIn: [3, 1]) }
            let data = try JSONEncoder().encode(stage.owner.numbers)
            #expect(String(decoding: data, as: UTF8.self) == "[3,1]")
            #expect(try Array(JSONDecoder().decode(List<Int>.self, from: data)) == [3, 1])
        }
    }

    // MARK: Sets

    /// An edit of the sets {1, 2, 3} and {3, 4}, with the result of the first.
    struct SetEdit: Sendable, CustomTestStringConvertible {
        let name: String
        let edit: @Sendable (ProofOwner) -> Void
        let result: Set<Int>
        var testDescription: String { name }
        init(_ name: String, _ result: Set<Int>, _ edit: @escaping @Sendable (ProofOwner) -> Void) {
            (self.name, self.result, self.edit) = (name, result, edit)
        }
    }

    static let setEdits: [SetEdit] = {
        var edits: [SetEdit] = []
        edits.append(SetEdit("insert(_:)", [1, 2, 3, 9]) { $0.digits.insert(9) })
        edits.append(SetEdit("insert(_:) again", [1, 2, 3]) { $0.digits.insert(2) })
        edits.append(SetEdit("insert(objectsIn:)", [1, 2, 3, 7]) { $0.digits.insert(objectsIn: [7, 1, 7]) })
        edits.append(SetEdit("insert(objectsIn:) itself", [1, 2, 3]) { $0.digits.insert(objectsIn: $0.digits) })
        edits.append(SetEdit("remove(_:)", [1, 3]) { $0.digits.remove(2) })
        edits.append(SetEdit("remove(_:) absent", [1, 2, 3]) { $0.digits.remove(5) })
        edits.append(SetEdit("removeAll()", []) { $0.digits.removeAll() })
        edits.append(SetEdit("formUnion(_:)", [1, 2, 3, 4]) { $0.digits.formUnion($0.others) })
        edits.append(SetEdit("formIntersection(_:)", [3]) { $0.digits.formIntersection($0.others) })
        edits.append(SetEdit("subtract(_:)", [1, 2]) { $0.digits.subtract($0.others) })
        edits.append(SetEdit("formUnion(_:) itself", [1, 2, 3]) { $0.digits.formUnion($0.digits) })
        edits.append(SetEdit("formIntersection(_:) itself", [1, 2, 3]) { $0.digits.formIntersection($0.digits) })
        edits.append(SetEdit("subtract(_:) itself", []) { $0.digits.subtract($0.digits) })
        return edits
    }()

    @Test(
        """
        MutableSet.{insert(_:),insert(objectsIn:),remove(_:),removeAll(),formUnion(_:),formIntersection(_:)} \
        MutableSet.subtract(_:) each edit's result
        """, arguments: setEdits, Form.allCases)
    func set(_ edit: SetEdit, _ form: Form) throws {
        try form.stage { stage in
            try stage.edit {
                $0.digits.insert(objectsIn: [3, 1, 2])
                $0.others.insert(objectsIn: [4, 3])
            }
            try stage.edit { edit.edit($0) }
            #expect(Set(stage.owner.digits) == edit.result && stage.owner.digits.count == edit.result.count)
            #expect(Set(stage.owner.others) == [3, 4])
            if form != .unmanaged { #expect(Array(stage.owner.digits) == edit.result.sorted()) }
        }
    }

    @Test("MutableSet.insert(_:) managed sets change in writes only, whatever changes them", arguments: setEdits)
    func setOutside(_ edit: SetEdit) async {
        #expect(await Form.messageOutside { edit.edit($0) } == Self.outsideSet)
    }

    @Test(
        "MutableSet.{contains(_:),isSubset(of:),intersects(_:)} tell what holds", arguments: Form.allCases)
    func setQuestions(_ form: Form) throws {
        try form.stage { stage in
            #expect(stage.owner.digits.isSubset(of: stage.owner.others))
            #expect(!stage.owner.digits.intersects(stage.owner.others) && !stage.owner.digits.contains(1))
            try stage.edit {
                $0.digits.insert(objectsIn: [1, 2])
                $0.others.insert(objectsIn: [2, 1, 3])
            }
            let (digits, others) = (stage.owner.digits, stage.owner.others)
            #expect(digits.contains(1) && !digits.contains(3))
            #expect(digits.isSubset(of: others) && !others.isSubset(of: digits) && digits.isSubset(of: digits))
            #expect(digits.intersects(others) && digits.intersects(digits))
        }
    }

    @Test("MutableSet no duplicates, null once, order by value or of insertion", arguments: Form.allCases)
    func setRules(_ form: Form) throws {
        try form.stage { stage in
            try stage.edit {
                $0.optionals.insert(objectsIn: [3, nil, 1, nil, 3])
                $0.pack.insert(objectsIn: [ProofDog(2), ProofDog(1)])
            }
            #expect(Array(stage.owner.optionals) == (form == .unmanaged ? [3, nil, 1] : [nil, 1, 3]))
            #expect(stage.owner.optionals.contains(nil) && stage.owner.pack.map(\.id) == [2, 1])
            guard let realm = stage.realm else { return }
            try stage.edit { realm.delete($0.pack[0]) }
            #expect(stage.owner.pack.map(\.id) == [1])
        }
    }

    @Test("MutableSet.{formUnion(_:),isSubset(of:)} a managed set and one that is not")
    func setsMixed() async {
        #expect(await Form.inMemory.message { $0.digits.formUnion(MutableSet<Int>()) } != nil)
        #expect(await Form.inMemory.message { $0.digits.formIntersection(MutableSet<Int>()) } != nil)
        #expect(await Form.inMemory.message { $0.digits.subtract(MutableSet<Int>()) } != nil)
        #expect(await Form.inMemory.message { _ = $0.digits.isSubset(of: MutableSet<Int>()) } != nil)
        #expect(await Form.inMemory.message { _ = $0.digits.intersects(MutableSet<Int>()) } != nil)
        #expect(await Form.inMemory.message { MutableSet<Int>().formUnion($0.digits) } != nil)
    }

    @Test("MutableSet.{index(of:),index(matching:)} always fail", arguments: Form.allCases)
    func setIndex(_ form: Form) async {
        #expect(await form.message { _ = $0.digits.index(of: 1) } != nil)
        #expect(await form.message { _ = $0.pack.index(matching: "id == 1") } != nil)
        #expect(await form.message { _ = $0.pack.index(matching: NSPredicate(format: "id == 1")) } != nil)
    }

    // MARK: Maps

    @Test(
        "Map Map.{merge(_:uniquingKeysWith:),asKeyValueSequence(),makeIterator()} of all forms",
        arguments: Form.allCases)
    func map(_ form: Form) throws {
        try form.stage { stage in
            try stage.edit { $0.scores.merge(["b": 2, "a": 1]) { $0 + $1 } }
            try stage.edit { $0.scores.merge([("c", 3), ("a", 10)]) { $0 + $1 } }
            try stage.edit { $0.scores.merge(zip(["c", "c"], [1, 1])) { old, _ in old * 2 } }
            let scores = stage.owner.scores
            #expect(scores.keys == ["a", "b", "c"] && scores.values == [11, 2, 12])
            #expect(scores.map { "\($0.key)\($0.value)" } == ["a11", "b2", "c12"])
            var pairs: [String: Int] = [:]
            for (key, value) in scores.asKeyValueSequence() { pairs[key] = value }
            #expect(pairs == ["a": 11, "b": 2, "c": 12])
            for entry: SingleMapEntry<String, Int> in scores { #expect(pairs[entry.key] == entry.value) }
        }
    }

    @Test("Map.merge(_:uniquingKeysWith:) outside of a write")
    func mapOutside() async {
        #expect(await Form.messageOutside { $0.scores.merge(["a": 1]) { $1 } } == Self.outsideMap)
        #expect(await Form.messageOutside { $0.scores.updateValue(1, forKey: "a") } == Self.outsideMap)
        #expect(await Form.messageOutside { $0.scores.removeObject(for: "a") } == Self.outsideMap)
    }

    @Test("Map a deleted object leaves its key with null; an embedded one goes with its owner only")
    func mapOfObjects() throws {
        try Form.inMemory.stage { stage in
            let dog = ProofDog(1)
            try stage.edit { $0.named["a"] = dog }
            try stage.edit { _ in stage.realm?.delete(dog) }
            #expect(stage.owner.named.keys == ["a"] && stage.owner.named["a"] == .some(nil))
        }
    }

    @Test("Map.where(_:) gives the values for which a condition holds", arguments: Form.managed)
    func mapWhere(_ form: Form) throws {
        try form.stage { stage in
            try stage.edit {
                $0.named.merge(["x": ProofDog(1, age: 3), "y": ProofDog(2, age: 1), "n": nil]) { $1 }
            }
            #expect(stage.owner.named.where { $0.age > 2 }.map { $0?.id } == [1])
        }
    }

    @Test("Map.Codable as a keyed object", arguments: Form.allCases)
    func mapCodable(_ form: Form) throws {
        try form.stage { stage in
            try stage.edit { $0.scores.merge(["a": 1, "b": 2]) { $1 } }
            let data = try JSONEncoder().encode(stage.owner.scores)
            #expect(try JSONDecoder().decode([String: Int].self, from: data) == ["a": 1, "b": 2])
            #expect(try JSONDecoder().decode(Map<String, Int>.self, from: data).keys == ["a", "b"])
        }
    }

    // MARK: What only reads

    @Test("LinkingObjects one entry for each link, empty when unmanaged", arguments: Form.allCases)
    func linkingObjects(_ form: Form) throws {
        try form.stage { stage in
            let dog = ProofDog(1)
            try stage.edit { $0.dogs.append(objectsIn: [dog, dog]) }
            #expect(dog.owners.count == (form == .unmanaged ? 0 : 2) && dog.owners.realm == stage.realm)
            guard form != .unmanaged else { return }
            #expect(dog.owners.allSatisfy { $0.isSameObject(as: stage.owner) } && dog.owners.first != nil)
            #expect(dog.owners.filter("name == ''").count == 2)
            try stage.edit { $0.dogs.removeLast() }
            #expect(dog.owners.count == 1)
        }
    }

    @Test("AnyRealmCollection is what it was made of", arguments: Form.managed)
    func anyCollection(_ form: Form) throws {
        try form.stage { stage in
            let dogs = [ProofDog(1, age: 2), ProofDog(2, age: 5)]
            try stage.edit {
                $0.dogs.append(objectsIn: dogs)
                $0.pack.insert(objectsIn: dogs)
            }
            let results = try #require(stage.realm?.objects(ProofDog.self))
            for any in [AnyRealmCollection(stage.owner.dogs), .init(stage.owner.pack), .init(results)] {
                #expect(any.count == 2 && any.map(\.id) == [1, 2] && any.realm == stage.realm && !any.isInvalidated)
                #expect(any.filter("age > 3").map(\.id) == [2] && any.max(ofProperty: "age") == 5)
                #expect(any.sorted(byKeyPath: "age", ascending: false).map(\.id) == [2, 1] && any[1].id == 2)
                #expect(any.freeze().isFrozen && any.first?.id == 1 && any.last?.id == 2)
            }
            #expect(AnyRealmCollection(dogs[0].owners).map(\.dogs.count) == [2])
            #expect(AnyRealmCollection(results) == AnyRealmCollection(results))
        }
    }

    // MARK: Iterating

    @Test(
        "RLMIterator RLMMapIterator RLMKeyValueIterator go through what there was at the beginning",
        arguments: Form.managed)
    func iterating(_ form: Form) throws {
        try form.stage { stage in
            try stage.edit {
                $0.numbers.append(objectsIn: [1, 2, 3])
                $0.scores.merge(["a": 1, "b": 2]) { $1 }
            }
            var seen: [Int] = []
            try stage.edit { owner in
                for number in owner.numbers {
                    seen.append(number)
                    owner.numbers.removeFirst()
                }
            }
            #expect(seen == [1, 2, 3] && stage.owner.numbers.isEmpty)
            // The first write begins during the iteration.
            var keys: [String] = []
            for entry in stage.owner.scores {
                keys.append(entry.key)
                try stage.edit { $0.scores.removeAll() }
            }
            #expect(keys == ["a", "b"] && stage.owner.scores.count == 0)
            try stage.edit { $0.scores.merge(["c": 1, "d": 2]) { $1 } }
            try stage.edit { owner in
                for (key, _) in owner.scores.asKeyValueSequence() {
                    keys.append(key)
                    owner.scores["e"] = 4
                }
            }
            #expect(keys == ["a", "b", "c", "d"])
            try stage.edit { $0.dogs.append(objectsIn: [ProofDog(1, age: 1), ProofDog(2, age: 1)]) }
            let young = try #require(stage.realm?.objects(ProofDog.self).filter("age == 1"))
            var ages = 0
            for dog in young {
                try stage.edit { _ in dog.age = 2 }
                ages += dog.age
            }
            #expect(ages == 4 && young.isEmpty)
        }
    }
}
