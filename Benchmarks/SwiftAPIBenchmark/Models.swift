import GRDB
import RealmSwift

final class Owner: Object {
    @Persisted var name: String
    @Persisted var city: String
}

final class Dog: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var name: String
    @Persisted var age: Int
    @Persisted var weight: Double
    @Persisted var nickname: String?
    @Persisted var owner: Owner?
}

/// The same without a store.
final class PlainOwner {
    var name = ""
    var city = ""
}

final class PlainDog {
    var id = 0
    var name = ""
    var age = 0
    var weight = 0.0
    var nickname: String?
    var owner: PlainOwner?
}

/// The same as a record, decoded by position from the row, as GRDB's guide to speed has it.
struct DogRecord: FetchableRecord, PersistableRecord {
    static let databaseTableName = "dog"

    var id: Int
    var name: String
    var age: Int
    var weight: Double
    var nickname: String?
    var ownerID: Int?

    init(id: Int, name: String, age: Int, weight: Double, nickname: String?, ownerID: Int?) {
        self.id = id
        self.name = name
        self.age = age
        self.weight = weight
        self.nickname = nickname
        self.ownerID = ownerID
    }

    init(row: Row) {
        id = row[0]
        name = row[1]
        age = row[2]
        weight = row[3]
        nickname = row[4]
        ownerID = row[5]
    }

    func encode(to container: inout PersistenceContainer) {
        container["id"] = id
        container["name"] = name
        container["age"] = age
        container["weight"] = weight
        container["nickname"] = nickname
        container["ownerID"] = ownerID
    }
}

/// The values of dog number so and so, the same for all.
struct Sample {
    let id: Int
    let name: String
    let age: Int
    let weight: Double
    let nickname: String?
    let owner: Int

    init(_ number: Int) {
        id = number
        name = "dog number \(number)"
        age = number % 20
        weight = Double(number * 7919 % 4000) / 100
        nickname = number % 3 == 0 ? nil : "nick \(number % 50)"
        owner = number % ownerCount
    }
}

let ownerCount = 1000
