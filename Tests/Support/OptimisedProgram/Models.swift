import Foundation
import RealmSwift

// Neither final nor simple: code compiled for such classes in other modules differs most from the module's tests.

class Keeper: Object {
    @Persisted(primaryKey: true) var id = ""
    @Persisted var animals: List<Animal>
    @Persisted var friends: MutableSet<Keeper>
    @Persisted var byName: Map<String, Animal?>
    @Persisted var home: Cage?
}

class Animal: Object {
    @Persisted(primaryKey: true) var number: Int
    @Persisted var name: String
    @Persisted var nickname: String?
    @Persisted var weight: Double
    @Persisted var born: Date?
    @Persisted var kind: Kind
    @Persisted var tags: MutableSet<String>
    @Persisted var meals: List<Int?>
    @Persisted var prices: Map<String, Double>
    @Persisted var other: AnyRealmValue
    @Persisted var mother: Animal?
    @Persisted var place: Place?
    @Persisted(originProperty: "animals") var keepers: LinkingObjects<Keeper>
}

final class Cage: EmbeddedObject {
    @Persisted var row = 1
    @Persisted var bars: List<Float>
}

enum Kind: String, PersistableEnum {
    case bird, fish
}

struct Place: CustomPersistable, Equatable {
    var text: String

    init(persistedValue: String) { text = persistedValue }

    var persistableValue: String { text }
}

class AnimalCard: Projection<Animal> {
    @Projected(\Animal.name) var name
    @Projected(\Animal.mother?.name) var motherName
    @Projected(\Animal.keepers.projectTo.id) var keeperNames: ProjectedCollection<String>
}

let animalCount = 600

/// Some 600 animals, more than one cluster of the store; each third has a mother.
func fill(_ realm: Realm) throws {
    try realm.write {
        let keepers = ["Ada", "Bob"].map { realm.create(Keeper.self, value: ["id": $0]) }
        keepers[0].friends.insert(keepers[1])
        keepers[0].home = Cage(value: ["row": 3, "bars": [1.5, 2.5]])
        var last: Animal?
        for number in 0..<animalCount {
            let animal = Animal()
            animal.number = number
            animal.name = number % 2 == 0 ? "animal number \(number)" : "a\(number)"
            animal.nickname = number % 4 == 0 ? nil : "nick"
            animal.weight = Double(number) / 2
            animal.born = number % 5 == 0 ? nil : Date(timeIntervalSince1970: Double(number))
            animal.kind = number % 2 == 0 ? .fish : .bird
            animal.tags.insert(objectsIn: ["t\(number % 3)", "all"])
            animal.meals.append(objectsIn: [number, nil])
            animal.prices["euro"] = 2
            animal.other = number % 2 == 0 ? .int(number) : .string("s")
            animal.mother = number % 3 == 0 ? last : nil
            animal.place = number % 7 == 0 ? nil : Place(persistedValue: "p\(number)")
            realm.add(animal)
            keepers[number % 2].animals.append(animal)
            keepers[0].byName[animal.name] = number % 2 == 0 ? animal : .some(nil)
            last = animal
        }
    }
}
