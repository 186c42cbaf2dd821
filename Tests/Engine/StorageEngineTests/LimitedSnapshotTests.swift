import EmbeddedTesting
import EmbeddedStore
import ObjectModel
import RepositoryFiles
import StoreContract
import Testing

@Suite("Snapshots under a budget")
struct LimitedSnapshotTests {
    let directory: TestDirectory

    init() throws { directory = try TestDirectory() }

    @Test("all backlinks are read under a budget without a limit of rows", arguments: [0, 1, 40])
    func unbounded(dogs: Int) throws {
        let (store, ada, read) = try kennel(dogs: dogs)
        let all = try read(try store.snapshot(), ada)
        #expect(all.count == dogs)
        // Its time is limited, as for requests. Nothing has been spent when the links are read.
        let budget = QueryBudget(rows: nil, milliseconds: 10_000)
        #expect(try read(try store.snapshot().limited(by: budget), ada) == all)
        #expect(budget.usedRows == dogs + 1)
    }

    @Test("backlinks are rejected exactly where a budget is too small for them", arguments: [0, 1, 40])
    func bounded(dogs: Int) throws {
        let (store, ada, read) = try kennel(dogs: dogs)
        for rows in [0, 1, dogs, dogs + 1, dogs + 2, .max - 1, .max] {
            let budget = QueryBudget(rows: rows, milliseconds: 10_000)
            let snapshot = try store.snapshot().limited(by: budget)
            let refusal = code { _ = try read(snapshot, ada) }
            #expect(refusal == (rows > dogs ? nil : .tooExpensive), "\(rows) rows for \(dogs) links")
        }
    }

    private typealias Read = (any Snapshot, ObjectKey) throws -> [ObjectKey]

    /// A person with dogs, and a read of the dogs that link to it.
    private func kennel(dogs: Int) throws -> (EmbeddedStore, ObjectKey, Read) {
        let (store, pets) = try openPets(directory.store)
        let ada = try store.write { transaction in
            let ada = try transaction.create(pets.person.id, [pets.person("id"): .int(1)])
            for number in 0..<dogs {
                _ = try transaction.create(
                    pets.dog.id, [pets.dog("name"): .string("dog \(number)"), pets.dog("owner"): .link(ada)])
            }
            return ada
        }
        return (
            store, ada,
            { snapshot, key in
                try snapshot.backlinks(
                    to: ObjectReference(pets.person.id, key), from: pets.dog.id, pets.dog("owner"))
            }
        )
    }
}
