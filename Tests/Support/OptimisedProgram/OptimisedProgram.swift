// Uses the library as a program built with `-c release` does: there, generic code is compiled again for the program's
// own classes, which no test of a debug build covers. Reports faults, and then exits with 1.

import Foundation
import RealmSwift

@main
struct OptimisedProgram {
    static func main() throws {
        var trial = Trial()
        let configuration = Realm.Configuration(
            inMemoryIdentifier: UUID().uuidString, objectTypes: [Keeper.self, Animal.self, Cage.self])
        let realm = try Realm(configuration: configuration)
        try fill(realm)
        trial.reading(realm)
        trial.iterating(realm)
        trial.queries(realm)
        try trial.writing(realm)
        trial.unmanaged()
        trial.elsewhere(realm)
        print("\(trial.count) checks, \(trial.failures.count) failed")
        for failure in trial.failures { print(failure) }
        exit(trial.failures.isEmpty ? 0 : 1)
    }
}

struct Trial {
    private(set) var count = 0
    private(set) var failures: [String] = []

    mutating func check(_ holds: Bool, _ what: String = "", line: Int = #line) {
        count += 1
        if !holds { failures.append("line \(line): \(what)") }
    }

    mutating func reading(_ realm: Realm) {
        guard let animal = realm.object(ofType: Animal.self, forPrimaryKey: 3), let mother = animal.mother else {
            return check(false, "animal 3 and its mother")
        }
        check(animal.name == "a3" && animal.nickname == "nick" && animal.weight == 1.5 && animal.kind == .bird)
        check(mother.number == 2 && mother.name == "animal number 2" && mother.kind == .fish && mother.mother == nil)
        check(animal.born == Date(timeIntervalSince1970: 3) && animal.other == .string("s"))
        check(animal.place == Place(persistedValue: "p3") && mother.other == .int(2))
        check(animal.tags.contains("t0") && animal.meals.count == 2 && animal.meals[1] == nil)
        check(animal.prices["euro"] == 2 && animal.prices["dollar"] == nil)
        check(animal.keepers.first?.id == "Bob" && animal.keepers.count == 1)
        check(realm.object(ofType: Animal.self, forPrimaryKey: animalCount) == nil)
        check(realm.object(ofType: Keeper.self, forPrimaryKey: "Ada")?.home?.bars.last == 2.5)
        check(animal["name"] as? String == "a3" && animal.value(forKeyPath: "mother.number") as? Int == 2)
    }

    /// Iterates over each kind of collection, of objects and of values, with the calls of Swift's algorithms.
    mutating func iterating(_ realm: Realm) {
        let animals = realm.objects(Animal.self)
        guard let ada = realm.object(ofType: Keeper.self, forPrimaryKey: "Ada") else { return check(false, "Ada") }
        check(sum(animals) == animalCount * (animalCount - 1) / 2, "results")
        check(sum(ada.animals) == (0..<animalCount).filter { $0 % 2 == 0 }.reduce(0, +), "list")
        check(sum(AnyRealmCollection(ada.animals)) == sum(ada.animals), "any collection")
        check(sum(animals.freeze()) == sum(animals), "frozen")
        check(sum(animals.filter("number < 0")) == 0, "empty")
        check(ada.friends.map(\.id) == ["Bob"] && Array(ada.friends).count == 1, "set of objects")
        check(animals.reduce(0) { $0 + $1.keepers.count } == animalCount, "linking objects")
        check(Array(animals).count == animalCount && animals.lazy.map(\.name).contains("a7"), "array")
        check(animals.first { $0.number == 5 }?.name == "a5" && animals.allSatisfy { $0.realm == realm })
        check(animals.compactMap(\.mother).count == animalCount / 3 - 1 && Set(animals).count == animalCount)
        check(animals.reversed().first?.number == animalCount - 1 && animals.suffix(2).map(\.number).last == 599)
        check(zip(animals, animals.dropFirst()).allSatisfy { $0.number + 1 == $1.number }, "zip")
        check(animals.flatMap { $0.meals.compactMap { $0 } }.count == animalCount, "values, some nil")
        check(animals.flatMap(\.tags).count == animalCount * 2 && animals.map(\.prices.values.count).max() == 1)
        var entries = 0
        for entry in ada.byName { entries += entry.value == nil ? 1 : 1000 }
        for (key, value) in ada.byName.asKeyValueSequence() { entries += key.isEmpty || value == nil ? 1 : 1000 }
        check(entries == animalCount * 1001, "map of objects, some nil")
        let sections = animals.sectioned(by: \.kind.rawValue)
        check(sections.map(\.key) == ["bird", "fish"] && sections.map(\.count) == [300, 300], "sections")
        check(sections.flatMap { $0.map(\.number) }.reduce(0, +) == sum(animals), "objects of sections")
        let cards = realm.objects(AnimalCard.self)
        check(cards.compactMap(\.motherName).count == animalCount / 3 - 1, "projections")
        check(cards.first.map { Array($0.keeperNames) } == ["Ada"], "projected collection")
        check(
            realm.dynamicObjects("Animal").compactMap { $0["number"] as? Int }.count == animalCount, "dynamic objects")
    }

    private func sum<C: RealmCollection>(_ animals: C) -> Int where C.Element == Animal {
        var sum = 0
        for animal in animals { sum += animal.number }
        return sum
    }

    mutating func queries(_ realm: Realm) {
        let animals = realm.objects(Animal.self)
        check(animals.where { $0.number < 10 && $0.kind == .fish }.count == 5)
        check(animals.where { $0.mother.name == "a5" }.first?.number == 6)
        check(animals.where { $0.tags.contains("t1") && $0.nickname == nil }.count == 50)
        check(
            realm.objects(Keeper.self).where { ($0.animals.weight > 299 && $0.animals.kind == .bird).count == 1 }.count
                == 1)
        check(animals.filter("number IN %@", [1, 2, 900]).count == 2)
        check(animals.filter(NSPredicate(format: "mother.number == %@", NSNumber(value: 2))).first?.number == 3)
        check(animals.filter(#Predicate<Animal> { $0.number > 595 && $0.name.starts(with: "a") }).count == 4)
        check(animals.sorted(by: \.weight, ascending: false).first?.number == 599)
        check(animals.sorted(by: [SortDescriptor(keyPath: \Animal.name), "number"]).first?.name == "a1")
        check(animals.max(of: \.number) == 599 && animals.average(of: \.weight) == 149.75)
        check(animals.distinct(by: [\Animal.kind]).count == 2 && _name(for: \Keeper.animals[0].mother?.name) != "")
        check(animals.index(matching: { $0.number == 17 }) == 17)
    }

    mutating func writing(_ realm: Realm) throws {
        let animals = realm.objects(Animal.self)
        guard let animal = animals.last else { return check(false, "the last animal") }
        let old = animal.freeze()
        try realm.write {
            for animal in animals where animal.number % 2 == 0 { animal.weight += 1 }
            animal.name = "a name that is much longer than the one before"
            animal.name += "!"
            animal.nickname = nil
            animal.mother = animals.first
            animal.meals.append(nil)
            animal.prices["dollar"] = 3
            animal.kind = .fish
            animal.other = .object(animals[1])
        }
        check(animal.name.hasSuffix("before!") && animal.nickname == nil && animal.mother?.number == 0)
        check(animal.meals.count == 3 && animal.prices.count == 2 && animal.kind == .fish)
        check(animal.other.object(Animal.self)?.number == 1 && animals[2].weight == 2)
        check(old.name == "a599" && old.nickname == "nick" && old.kind == .bird && old.meals.count == 2)
        try realm.write {
            for animal in animals where animal.number >= 590 { realm.delete(animal) }
        }
        check(animals.count == 590 && animal.isInvalidated && !old.isInvalidated)
        check(animals.map(\.number).max() == 589)
    }

    mutating func unmanaged() {
        let animal = Animal(value: ["number": 1, "name": "x", "tags": ["a"], "meals": [1], "mother": ["number": 2]])
        check(animal.mother?.number == 2 && animal.tags.count == 1 && animal.meals.first == 1 && animal.nickname == nil)
        check(animal.kind == .bird && animal.place == nil && animal.other == .none && animal.keepers.isEmpty)
        for tag in animal.tags { check(tag == "a") }
        let keeper = Keeper()
        keeper.animals.append(objectsIn: [animal, animal])
        check(keeper.animals.map(\.name) == ["x", "x"] && keeper.home == nil)
    }

    mutating func elsewhere(_ realm: Realm) {
        nonisolated(unsafe) let frozen = realm.freeze().objects(Animal.self)
        let reference = ThreadSafeReference(to: realm.objects(Animal.self).sorted(by: \.number))
        let configuration = realm.configuration
        let done = DispatchSemaphore(value: 0)
        nonisolated(unsafe) var counts: [Int] = []
        Thread.detachNewThread {
            counts.append(frozen.reduce(0) { $0 + ($1.name.isEmpty ? 0 : 1) })
            let results = (try? Realm(configuration: configuration))?.resolve(reference)
            counts.append(results?.map(\.number).count ?? 0)
            done.signal()
        }
        done.wait()
        check(counts == [590, 590], "another thread")
    }
}
