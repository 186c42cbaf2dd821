import Foundation
import RealmSwift

class Dog: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var name: String = "Rex"
    @Persisted var age: Int?
    @Persisted var weight: Double
    @Persisted var owner: Person?
    @Persisted var born: Date
    var ignored = 7
}

class Person: Object {
    @Persisted var name = ""
    @Persisted var dogs: List<Dog>
    @Persisted(originProperty: "owner") var owned: LinkingObjects<Dog>
    @Persisted var home: Address?
}

class Address: EmbeddedObject {
    @Persisted var street = ""
    @Persisted var city: String?
}
