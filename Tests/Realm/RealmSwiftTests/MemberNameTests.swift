import Foundation
import Testing

@testable import RealmSwift

/// The wrappers of such properties are stored under these names with an underscore, next to the library's own members.
class NamedStop: Object {
    @Persisted(primaryKey: true) var key: String
    @Persisted var place: String
    @Persisted var reference: String?
    @Persisted var isDeleted: Bool
    @Persisted var stops: List<NamedStop>

    override func isEqual(_ object: Any?) -> Bool { (object as? NamedStop)?.place == place }
    override var hash: Int { place.hashValue }
}

@Suite("Names that models choose")
struct MemberNameTests {
    @Test("properties may have names that the library has for itself, also where its own members are visible")
    func names() throws {
        let realm = try Realm(
            configuration: .init(inMemoryIdentifier: UUID().uuidString, objectTypes: [NamedStop.self]))
        let stop = NamedStop(
            value: ["key": "a", "place": "Bonn", "reference": "r", "isDeleted": true] as [String: Any])
        try realm.write { realm.add(stop) }
        let found = try #require(realm.objects(NamedStop.self).where { $0.isDeleted && $0.place == "Bonn" }.first)
        #expect(found.key == "a" && found.reference == "r" && !found.isInvalidated)
    }

    @Test("a model's own isEqual and hash are what == and sets go by")
    func equality() throws {
        let realm = try Realm(
            configuration: .init(inMemoryIdentifier: UUID().uuidString, objectTypes: [NamedStop.self]))
        let places = ["Bonn", "Ulm", "Bonn"]
        try realm.write {
            for (number, place) in places.enumerated() {
                realm.create(NamedStop.self, value: ["key": "\(number)", "place": place])
            }
        }
        let stops = realm.objects(NamedStop.self)
        #expect(stops[0] == stops[2] && stops[0] != stops[1])
        #expect(Set(stops).count == 2 && stops[0] == NamedStop(value: ["place": "Bonn"]))
    }
}
