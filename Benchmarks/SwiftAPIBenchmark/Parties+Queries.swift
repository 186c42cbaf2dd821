import GRDB
import RealmSwift

/// All objects at once.
extension Parties {
    func measureQueries() throws {
        let (realm, plain, database, count) = (realm, plain, database, count)
        try row(
            "iterate, reading three properties", rounds: 9,
            realm: Part(count) {
                var sum = Sum()
                for dog in realm.objects(Dog.self) { sum.add(dog.age + dog.name.utf8.count + Int(dog.weight)) }
            },
            plain: Part(count) {
                var sum = Sum()
                for dog in plain { sum.add(dog.age + dog.name.utf8.count + Int(dog.weight)) }
            },
            grdb: Part(count) {
                var sum = Sum()
                try database.read { db in
                    let dogs = try DogRecord.fetchCursor(db, sql: "SELECT * FROM dog")
                    while let dog = try dogs.next() { sum.add(dog.age + dog.name.utf8.count + Int(dog.weight)) }
                }
            })
        try row(
            "assign Int of all in one write, committed", rounds: 5,
            realm: Part(count) {
                try realm.write { for dog in realm.objects(Dog.self) { dog.age = dog.id % 20 } }
            },
            plain: Part(count) { for dog in plain { dog.age = dog.id % 20 } },
            grdb: Part(count) {
                try database.write { db in
                    let statement = try db.cachedStatement(sql: "UPDATE dog SET age = ? WHERE id = ?")
                    for id in try Int.fetchAll(db, sql: "SELECT id FROM dog") {
                        try statement.execute(arguments: [id % 20, id])
                    }
                }
            })
        try row(
            "count(age > 10)",
            realm: Part(1) {
                var sum = Sum()
                sum.add(realm.objects(Dog.self).where { $0.age > 10 }.count)
            },
            plain: Part(1) {
                var sum = Sum()
                sum.add(plain.count { $0.age > 10 })
            },
            grdb: Part(1) {
                var sum = Sum()
                sum.add(
                    try database.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM dog WHERE age > 10") ?? 0 })
            })
        let keys = (0..<1000).map { $0 * 7919 % count }
        try row(
            "object by primary key, reading one property",
            realm: Part(keys.count) {
                var sum = Sum()
                for key in keys { sum.add(realm.object(ofType: Dog.self, forPrimaryKey: key)?.age ?? 0) }
            },
            plain: nil,
            grdb: Part(keys.count) {
                var sum = Sum()
                try database.read { db in
                    let statement = try db.cachedStatement(sql: "SELECT * FROM dog WHERE id = ?")
                    for key in keys { sum.add(try DogRecord.fetchOne(statement, arguments: [key])?.age ?? 0) }
                }
            })
    }
}
