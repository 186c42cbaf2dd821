import Foundation
import GRDB
import RealmSwift

/// The same dogs three times.
final class Parties {
    let realm: Realm
    let plain: [PlainDog]
    let database: DatabaseQueue
    let count: Int
    /// How many objects single reads and assignments go through, again and again.
    let handful = 1000

    init(_ directory: URL, _ count: Int) throws {
        self.count = count
        realm = try Realm(
            configuration: Realm.Configuration(
                fileURL: directory.appendingPathComponent("realm"), objectTypes: [Dog.self, Owner.self]))
        // Durable with each commit, as the realm is.
        var settings = GRDB.Configuration()
        settings.prepareDatabase { db in
            try db.execute(sql: "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA mmap_size = 1073741824")
        }
        database = try DatabaseQueue(
            path: directory.appendingPathComponent("sqlite").path, configuration: settings)
        let owners = (0..<ownerCount).map { number in
            let owner = PlainOwner()
            owner.name = "owner \(number)"
            owner.city = "city \(number % 50)"
            return owner
        }
        plain = (0..<count).map { Self.plainDog(Sample($0), owners[Sample($0).owner]) }
        let stored = owners.map { Owner(value: ["name": $0.name, "city": $0.city]) }
        try realm.write {
            realm.add(stored)
            for number in 0..<count { realm.add(Self.dog(Sample(number), stored[Sample(number).owner])) }
        }
        try database.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE owner (id INTEGER PRIMARY KEY, name TEXT NOT NULL, city TEXT NOT NULL);
                    CREATE TABLE dog (id INTEGER PRIMARY KEY, name TEXT NOT NULL, age INTEGER NOT NULL,
                        weight REAL NOT NULL, nickname TEXT, ownerID INTEGER REFERENCES owner(id));
                    """)
            for (number, owner) in owners.enumerated() {
                try db.execute(sql: "INSERT INTO owner VALUES (?, ?, ?)", arguments: [number, owner.name, owner.city])
            }
            for number in 0..<count { try Self.record(Sample(number)).insert(db) }
        }
    }

    static func plainDog(_ sample: Sample, _ owner: PlainOwner?) -> PlainDog {
        let dog = PlainDog()
        dog.id = sample.id
        dog.name = sample.name
        dog.age = sample.age
        dog.weight = sample.weight
        dog.nickname = sample.nickname
        dog.owner = owner
        return dog
    }

    static func dog(_ sample: Sample, _ owner: Owner?) -> Dog {
        let dog = Dog()
        dog.id = sample.id
        dog.name = sample.name
        dog.age = sample.age
        dog.weight = sample.weight
        dog.nickname = sample.nickname
        dog.owner = owner
        return dog
    }

    static func record(_ sample: Sample) -> DogRecord {
        DogRecord(
            id: sample.id, name: sample.name, age: sample.age, weight: sample.weight, nickname: sample.nickname,
            ownerID: sample.owner)
    }

    /// Measures and prints a row, if it was asked for.
    func row(_ what: String, rounds: Int = 15, realm: Part, plain: Part? = nil, grdb: Part? = nil) throws {
        guard wanted.map(what.contains) ?? true else { return }
        try compare(what, rounds: rounds, realm: realm, plain: plain, grdb: grdb)
    }

    /// Dogs from all over the class, in no order.
    var someNumbers: [Int] { (0..<handful).map { $0 * 7919 % count } }
    var someDogs: [Dog] { someNumbers.compactMap { realm.object(ofType: Dog.self, forPrimaryKey: $0) } }
}
