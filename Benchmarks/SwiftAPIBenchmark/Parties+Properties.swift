import Foundation
import GRDB
import RealmSwift

/// One property at a time. What GRDB does there is to fetch or update one column of one row by its key, with a statement
/// that is prepared: a record's own properties are plain Swift.
extension Parties {
    private var passes: Int { 100 }

    func measureReading() throws {
        let (dogs, plain, numbers) = (someDogs, someNumbers.map { self.plain[$0] }, someNumbers)
        let count = dogs.count * passes
        func fetching(_ column: String, _ read: @escaping (Statement, Int) throws -> Int) -> Part {
            Part(numbers.count) { [database] in
                var sum = Sum()
                try database.read { db in
                    let statement = try db.cachedStatement(sql: "SELECT \(column) FROM dog WHERE id = ?")
                    for number in numbers { sum.add(try read(statement, number)) }
                }
            }
        }
        try row(
            "get Int",
            realm: Part(count) {
                var sum = Sum()
                for _ in 0..<self.passes { for dog in dogs { sum.add(dog.age) } }
            },
            plain: Part(count) {
                var sum = Sum()
                for _ in 0..<self.passes { for dog in plain { sum.add(dog.age) } }
            },
            grdb: fetching("age") { try Int.fetchOne($0, arguments: [$1]) ?? 0 })
        try row(
            "get Double",
            realm: Part(count) {
                var sum = Sum()
                for _ in 0..<self.passes { for dog in dogs { sum.add(Int(dog.weight)) } }
            },
            plain: Part(count) {
                var sum = Sum()
                for _ in 0..<self.passes { for dog in plain { sum.add(Int(dog.weight)) } }
            },
            grdb: fetching("weight") { Int(try Double.fetchOne($0, arguments: [$1]) ?? 0) })
        try row(
            "get String",
            realm: Part(count) {
                var sum = Sum()
                for _ in 0..<self.passes { for dog in dogs { sum.add(dog.name.utf8.count) } }
            },
            plain: Part(count) {
                var sum = Sum()
                for _ in 0..<self.passes { for dog in plain { sum.add(dog.name.utf8.count) } }
            },
            grdb: fetching("name") { try String.fetchOne($0, arguments: [$1])?.utf8.count ?? 0 })
        try row(
            "get String?",
            realm: Part(count) {
                var sum = Sum()
                for _ in 0..<self.passes { for dog in dogs { sum.add(dog.nickname?.utf8.count ?? 0) } }
            },
            plain: Part(count) {
                var sum = Sum()
                for _ in 0..<self.passes { for dog in plain { sum.add(dog.nickname?.utf8.count ?? 0) } }
            },
            grdb: fetching("nickname") { try String.fetchOne($0, arguments: [$1])?.utf8.count ?? 0 })
        try row(
            "get link",
            realm: Part(count) {
                var sum = Sum()
                for _ in 0..<self.passes { for dog in dogs { sum.add(dog.owner == nil ? 0 : 1) } }
            },
            plain: Part(count) {
                var sum = Sum()
                for _ in 0..<self.passes { for dog in plain { sum.add(dog.owner == nil ? 0 : 1) } }
            },
            grdb: fetching("ownerID") { try Int.fetchOne($0, arguments: [$1]) == nil ? 0 : 1 })
        try measureElsewhere(count)
        let free = someNumbers.map { Self.dog(Sample($0), nil) }
        try row(
            "get Int of an unmanaged object",
            realm: Part(count) {
                var sum = Sum()
                for _ in 0..<self.passes { for dog in free { sum.add(dog.age) } }
            },
            plain: Part(count) {
                var sum = Sum()
                for _ in 0..<self.passes { for dog in plain { sum.add(dog.age) } }
            })
    }

    func measureAssigning() throws {
        let (dogs, plain, numbers) = (someDogs, someNumbers.map { self.plain[$0] }, someNumbers)
        let passes = 1000
        let count = dogs.count * passes
        func updating(_ column: String, _ value: @escaping (Int) -> any DatabaseValueConvertible) -> Part {
            Part(numbers.count) { [database] in
                try database.write { db in
                    let statement = try db.cachedStatement(sql: "UPDATE dog SET \(column) = ? WHERE id = ?")
                    for number in numbers { try statement.execute(arguments: [value(number), number]) }
                }
            }
        }
        let begin = { [realm] in realm.beginWrite() }
        let cancel = { [realm] in realm.cancelWrite() }
        try row(
            "set Int in a write",
            realm: Part(count, prepare: begin, finish: cancel) {
                for pass in 0..<passes { for dog in dogs { dog.age = pass } }
            },
            plain: Part(count) { for pass in 0..<passes { for dog in plain { dog.age = pass } } },
            grdb: updating("age") { $0 % 20 })
        let names = (0..<passes).map { "a name with the number \($0)" }
        try row(
            "set String in a write",
            realm: Part(count, prepare: begin, finish: cancel) {
                for pass in 0..<passes { for dog in dogs { dog.name = names[pass] } }
            },
            plain: Part(count) { for pass in 0..<passes { for dog in plain { dog.name = names[pass] } } },
            grdb: updating("name") { Sample($0).name })
        try row(
            "set Int for the first time in a write",
            realm: Part(dogs.count, prepare: begin, finish: cancel) { for dog in dogs { dog.age = 7 } })
        try row(
            "set String for the first time in a write",
            realm: Part(dogs.count, prepare: begin, finish: cancel) { for dog in dogs { dog.name = names[7] } })
        try row(
            "get Int in a write that assigned it",
            realm: Part(
                count,
                prepare: {
                    self.realm.beginWrite()
                    for dog in dogs { dog.age = 3 }
                }, finish: cancel
            ) {
                var sum = Sum()
                for _ in 0..<passes { for dog in dogs { sum.add(dog.age) } }
            })
        try row(
            "get String in a write of others",
            realm: Part(count, prepare: begin, finish: cancel) {
                var sum = Sum()
                for _ in 0..<passes { for dog in dogs { sum.add(dog.name.utf8.count) } }
            })
    }

    /// Where it is not a thread that a realm belongs to.
    private func measureElsewhere(_ count: Int) throws {
        let queue = DispatchQueue(label: "benchmark")
        let configuration = realm.configuration
        let (passes, numbers) = (passes, someNumbers)
        try queue.sync {
            let realm = try Realm(configuration: configuration, queue: queue)
            let dogs = numbers.compactMap { realm.object(ofType: Dog.self, forPrimaryKey: $0) }
            try row(
                "get Int, realm of a queue",
                realm: Part(count) {
                    var sum = Sum()
                    for _ in 0..<passes { for dog in dogs { sum.add(dog.age) } }
                })
        }
        let frozen = realm.freeze()
        let dogs = numbers.compactMap { frozen.object(ofType: Dog.self, forPrimaryKey: $0) }
        let reading = Part(count) {
            var sum = Sum()
            for _ in 0..<passes { for dog in dogs { sum.add(dog.age) } }
        }
        try row("get Int, frozen object", realm: reading)
        try row(
            "get String, frozen object",
            realm: Part(count) {
                var sum = Sum()
                for _ in 0..<passes { for dog in dogs { sum.add(dog.name.utf8.count) } }
            })
        try row(
            "get Int, frozen object that another thread reads, too",
            realm: Part(count) {
                // The thread here has the objects' locations.
                nonisolated(unsafe) let body = reading.body
                let ended = DispatchSemaphore(value: 0)
                Thread {
                    try? body()
                    ended.signal()
                }.start()
                ended.wait()
            })
        let opened = 10_000
        try row(
            "Realm(configuration:) where it is open",
            realm: Part(opened) { for _ in 0..<opened { _ = try Realm(configuration: configuration) } })
    }
}
