import Foundation
import ProgramTesting
import RealmSwift
import RepositoryFiles
import Testing

/// The classes of `Examples/Realm/people.realm` as an app has them.
final class MovedPerson: Object {
    @Persisted(primaryKey: true) var _id: ObjectId
    @Persisted var name: String
    @Persisted var home: MovedAddress?
    @Persisted var others: List<MovedAddress>
    @Persisted var byKind: Map<String, MovedAddress?>
    @Persisted var friends: List<MovedPerson>
    @Persisted(originProperty: "who") var entries: LinkingObjects<MovedEntry>
}

final class MovedAddress: EmbeddedObject {
    @Persisted var street: String?
    @Persisted var number: Int
}

final class MovedEntry: Object {
    @Persisted var who: MovedPerson?
    @Persisted var line: String
    @Persisted var when: Date
}

@Suite("A realm that was a Realm file")
struct MovedRealmTests {
    @Test("the app's classes open it without a migration, with objects, links, backlinks and sums")
    func opens() throws {
        let directory = try TestDirectory()
        let path = directory.file("moved.realmgate")
        let names = ["Person=MovedPerson", "Address=MovedAddress", "Entry=MovedEntry"]
        let imported = try Program.run(
            ["import", Checkout.root + "/Examples/Realm/people.realm", "--data", path]
                + ["--leave-out", "Address.former"] + names.flatMap { ["--rename", $0] }, in: directory)
        try #require(imported.status == 0, "\(imported.errors)")
        // The schema version of the file is 0, and so is that of a configuration which gives none.
        let configuration = Realm.Configuration(
            fileURL: URL(fileURLWithPath: path), objectTypes: [MovedPerson.self, MovedAddress.self, MovedEntry.self])
        let realm = try Realm(configuration: configuration)
        let people = realm.objects(MovedPerson.self)
        #expect(people.count == 39 && realm.objects(MovedEntry.self).count == 90)
        let numbers = realm.objects(MovedAddress.self)
        #expect(imported.output.contains("\(numbers.count) embedded objects"))
        #expect(imported.output.contains("sum \(numbers.sum(of: \.number) as Int), "))
        let second = try #require(people.first { $0.name == "person 2" })
        #expect(second.home?.street == "street 2" && second.others.map(\.number) == [0, 1])
        #expect(second.byKind["kind1"]??.street == "s1")
        #expect(second.friends.map(\.name) == ["person 0", "person 1"])
        let entries = realm.objects(MovedEntry.self).where { $0.who.name == "person 5" }
        let fifth = try #require(people.first { $0.name == "person 5" })
        #expect(entries.count == fifth.entries.count && !entries.isEmpty)
        try realm.write { second.friends.append(fifth) }
        #expect(second.friends.last?.name == "person 5")
    }
}
