import GRDB
import RealmSwift

/// As many objects as there are, in one committed write, into an empty class.
extension Parties {
    func measureCreating() throws {
        let (realm, database, count) = (realm, database, count)
        let samples = (0..<count).map { Sample($0) }
        let empty = { try realm.write { realm.delete(realm.objects(Dog.self)) } }
        let emptyTable = { _ = try database.write { try $0.execute(sql: "DELETE FROM dog") } }
        let plainly = Part(count) {
            var dogs: [PlainDog] = []
            for sample in samples { dogs.append(Self.plainDog(sample, nil)) }
            withExtendedLifetime(dogs) {}
        }
        let records = Part(count, prepare: emptyTable) {
            try database.write { db in for sample in samples { try Self.record(sample).insert(db) } }
        }
        let statements = Part(count, prepare: emptyTable) {
            try database.write { db in
                let insert = try db.cachedStatement(sql: "INSERT INTO dog VALUES (?, ?, ?, ?, ?, ?)")
                for sample in samples {
                    try insert.execute(
                        arguments: [sample.id, sample.name, sample.age, sample.weight, sample.nickname, sample.owner])
                }
            }
        }
        try row(
            "add(object), to insert of a record", rounds: 5,
            realm: Part(count, prepare: empty) {
                try realm.write { for sample in samples { realm.add(Self.dog(sample, nil)) } }
            },
            plain: plainly, grdb: records)
        try row(
            "create(value: dictionary), to insert of a record", rounds: 5,
            realm: Part(count, prepare: empty) {
                try realm.write {
                    for sample in samples {
                        realm.create(
                            Dog.self,
                            value: [
                                "id": sample.id, "name": sample.name, "age": sample.age, "weight": sample.weight,
                                "nickname": sample.nickname as Any,
                            ])
                    }
                }
            },
            plain: plainly, grdb: records)
        try row(
            "create(value: array), to a prepared statement", rounds: 5,
            realm: Part(count, prepare: empty) {
                try realm.write {
                    for sample in samples {
                        realm.create(
                            Dog.self,
                            value: [
                                sample.id, sample.name, sample.age, sample.weight, sample.nickname as Any,
                            ] as [Any])
                    }
                }
            },
            plain: plainly, grdb: statements)
        try row(
            "create(), then assign, to a prepared statement", rounds: 5,
            realm: Part(count, prepare: empty) {
                try realm.write {
                    for sample in samples {
                        let dog = realm.create(Dog.self, value: ["id": sample.id])
                        dog.name = sample.name
                        dog.age = sample.age
                        dog.weight = sample.weight
                        dog.nickname = sample.nickname
                    }
                }
            },
            plain: plainly, grdb: statements)
    }
}
