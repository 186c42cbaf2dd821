// swift-format-ignore-file: NeverForceUnwrap

import Foundation
import RealmSwift

// An application with a history: the models of three versions, and the migration that a phone runs.

enum EvolutionV1 {
    class Person: Object {
        @Persisted(primaryKey: true) var id: Int
        @Persisted var firstName = ""
        @Persisted var lastName = ""
        @Persisted var age = ""
        @Persisted var street: String?
        @Persisted var city: String?
        @Persisted var dogs: List<Dog>

        override class func _realmObjectName() -> String? { "EvolutionPerson" }
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }

    class Dog: Object {
        @Persisted var name = ""
        @Persisted var breed = ""

        override class func _realmObjectName() -> String? { "EvolutionDog" }
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }

    class Legacy: Object {
        @Persisted var blob: Data

        override class func _realmObjectName() -> String? { "EvolutionLegacy" }
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }
}

class EvolutionPerson: Object {
    @Persisted(primaryKey: true) var id: String
    @Persisted var fullName = ""
    @Persisted var age: Int?
    @Persisted var address: EvolutionAddress?
    @Persisted var pets: List<EvolutionDog>
    @Persisted var joined = Date()
}

class EvolutionAddress: EmbeddedObject {
    @Persisted var street = ""
    @Persisted var city: String?
}

class EvolutionDog: Object {
    @Persisted var name = ""
    @Persisted var breed: Breed

    enum Breed: String, PersistableEnum {
        case unknown, poodle, terrier
    }
}

enum Evolution {
    static func configuration(_ url: URL) -> Realm.Configuration {
        return Realm.Configuration(
            fileURL: url,
            schemaVersion: 3,
            migrationBlock: { migration, oldSchemaVersion in
                if oldSchemaVersion < 2 {
                    migration.enumerateObjects(ofType: "EvolutionPerson") { oldObject, newObject in
                        let firstName = oldObject!["firstName"] as! String
                        let lastName = oldObject!["lastName"] as! String
                        newObject!["fullName"] = "\(firstName) \(lastName)"
                        newObject!["id"] = String(oldObject!["id"] as! Int)
                        newObject!["age"] = Int(oldObject!["age"] as! String)
                    }
                    migration.renameProperty(onType: "EvolutionPerson", from: "dogs", to: "pets")
                }
                if oldSchemaVersion < 3 {
                    migration.enumerateObjects(ofType: EvolutionPerson.className()) { oldObject, newObject in
                        if let street = oldObject?.street as? String {
                            newObject?["address"] = ["street": street, "city": oldObject?.city as Any]
                        }
                    }
                    migration.enumerateObjects(ofType: EvolutionDog.className()) { oldObject, newObject in
                        let breed = (oldObject?["breed"] as? String)?.lowercased() ?? ""
                        newObject?["breed"] = (EvolutionDog.Breed(rawValue: breed) ?? .unknown).rawValue
                    }
                    migration.deleteData(forType: "EvolutionLegacy")
                    migration.create("EvolutionDog", value: ["name": "Mascot", "breed": "poodle"])
                }
            },
            objectTypes: [EvolutionPerson.self, EvolutionAddress.self, EvolutionDog.self])
    }
}
