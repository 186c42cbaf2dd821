import Foundation
import RealmSwift

final class HostedDog: Object {
    @Persisted(primaryKey: true) var id = 0
    @Persisted var name = ""
    @Persisted var age: Int?
    @Persisted var tags: List<String>
    @Persisted var owner: HostedPerson?

    override class func propertiesMapping() -> [String: String] { ["id": "_id", "name": "dog_name"] }
}

final class HostedPerson: Object {
    @Persisted(primaryKey: true) var name = ""
    @Persisted(originProperty: "owner") var dogs: LinkingObjects<HostedDog>
}

/// The objects of random writes.
final class HostedEntry: Object {
    @Persisted(primaryKey: true) var id = 0
    @Persisted var writer = ""
    @Persisted var count = 0
}

/// Only some realms have it.
final class HostedLater: Object {
    @Persisted(primaryKey: true) var id = 0
}
