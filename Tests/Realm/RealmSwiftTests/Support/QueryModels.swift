import Foundation
import RealmSwift

enum QuerySize: Int, PersistableEnum {
    case small = 1
    case medium = 2
    case large = 3
}

struct QueryCode: CustomPersistable, Hashable {
    typealias PersistedType = String
    var text: String
    init(text: String) { self.text = text }
    init(persistedValue: String) { text = persistedValue }
    var persistableValue: String { text }
}

class QueryDog: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var name: String
    @Persisted var age: Int
    @Persisted var weight: Double
    @Persisted var rate: Float
    @Persisted var worth: Decimal128
    @Persisted var alive: Bool
    @Persisted var born: Date
    @Persisted var tag: ObjectId
    @Persisted var chip: UUID
    @Persisted var photo: Data
    @Persisted var size: QuerySize
    @Persisted var code: QueryCode
    @Persisted var narrow: Int8
    @Persisted var any: AnyRealmValue
    @Persisted var nick: String?
    @Persisted var optAge: Int?
    @Persisted var optWeight: Double?
    @Persisted var optBorn: Date?
    @Persisted var optSize: QuerySize?
    @Persisted var owner: QueryPerson?
    @Persisted var scores: List<Int>
    @Persisted var words: List<String>
    @Persisted var times: List<Date>
    @Persisted var optScores: List<Int?>
}

class QueryPerson: Object {
    @Persisted var name: String
    @Persisted var dogs: List<QueryDog>
    @Persisted var home: QueryPlace?
    @Persisted(originProperty: "owner") var owned: LinkingObjects<QueryDog>
}

class QueryPlace: EmbeddedObject {
    @Persisted var type = "Point"
    @Persisted var coordinates: List<Double>

    convenience init(latitude: Double, longitude: Double) {
        self.init()
        coordinates.append(longitude)
        coordinates.append(latitude)
    }
}

enum QueryWorld {
    static func realm() throws -> Realm {
        try Realm(
            configuration: Realm.Configuration(
                inMemoryIdentifier: UUID().uuidString,
                objectTypes: [QueryDog.self, QueryPerson.self, QueryPlace.self]))
    }

    /// Creates a dog with values that depend on its number, some of them null.
    static func dog(_ id: Int) -> QueryDog {
        let dog = QueryDog()
        dog.id = id
        dog.name = ["Rex", "Bo", "rex", "Álmos", "Ann", ""][id % 6]
        dog.age = id % 4
        dog.weight = Double(id % 5) + 0.5
        dog.rate = Float(id % 3) * 0.25
        dog.worth = Decimal128(integerLiteral: Int64(id % 3))
        dog.alive = id % 2 == 0
        dog.born = Date(timeIntervalSince1970: Double(id % 4) * 100)
        dog.photo = Data([UInt8(id % 3), 7])
        dog.size = [.small, .medium, .large][id % 3]
        dog.code = QueryCode(text: "c\(id % 3)")
        dog.narrow = Int8(id % 3)
        dog.any = [.none, .int(id % 3), .string("s\(id % 2)"), .double(1), .bool(true)][id % 5]
        dog.nick = id % 3 == 0 ? nil : "n\(id % 2)"
        dog.optAge = id % 3 == 1 ? nil : id % 4
        dog.optWeight = id % 4 == 1 ? nil : Double(id % 2)
        dog.optBorn = id % 2 == 1 ? nil : Date(timeIntervalSince1970: Double(id % 3))
        dog.optSize = id % 4 == 0 ? nil : [.small, .medium, .large][id % 3]
        for score in 0..<(id % 4) { dog.scores.append(score + id % 3) }
        for word in ["red", "blue", "green"].prefix(id % 4) { dog.words.append(word) }
        dog.times.append(Date(timeIntervalSince1970: Double(id)))
        dog.optScores.append(id % 2 == 0 ? nil : id)
        return dog
    }

    /// Creates persons with dogs 0..<count; every fourth dog has no owner.
    static func filled(_ count: Int = 12) throws -> Realm {
        let realm = try realm()
        try realm.write {
            let people = ["Ann", "Bob", "Cid"].map { name in
                let person = QueryPerson()
                person.name = name
                return person
            }
            people[0].home = QueryPlace(latitude: 10, longitude: 20)
            people[1].home = QueryPlace(latitude: 50, longitude: 8)
            for person in people { realm.add(person) }
            for id in 0..<count {
                let dog = dog(id)
                realm.add(dog)
                guard id % 4 != 3 else { continue }
                dog.owner = people[id % 2]
                people[id % 2].dogs.append(dog)
            }
        }
        return realm
    }
}
