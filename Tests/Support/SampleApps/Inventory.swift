import Foundation
import RealmSwift

// An inventory that is synchronised with a server's JSON: primary keys, updates in place, money, key-value coding.

struct InventoryMoney: CustomPersistable, Equatable {
    typealias PersistedType = InventoryPrice

    var amount: Decimal128
    var currency: String

    init(amount: Decimal128, currency: String) {
        self.amount = amount
        self.currency = currency
    }

    init(persistedValue: InventoryPrice) {
        self.init(amount: persistedValue.amount, currency: persistedValue.currency)
    }

    var persistableValue: InventoryPrice {
        InventoryPrice(value: [amount, currency])
    }
}

class InventoryPrice: EmbeddedObject {
    @Persisted var amount: Decimal128
    @Persisted var currency: String
}

struct InventorySKU: FailableCustomPersistable, Hashable {
    typealias PersistedType = String
    let code: String

    init?(persistedValue: String) {
        guard persistedValue.hasPrefix("SKU-") else { return nil }
        code = String(persistedValue.dropFirst(4))
    }

    init(_ code: String) { self.code = code }

    var persistableValue: String { "SKU-" + code }
}

enum InventoryUnit: String, PersistableEnum, CaseIterable, Codable {
    case piece, kilogram, liter
}

class InventoryProduct: Object, Codable {
    @Persisted(primaryKey: true) var id: Int
    @Persisted(indexed: true) var name: String
    @Persisted var details: String?
    @Persisted var quantity: Int
    @Persisted var minimum: Int?
    @Persisted var weight: Float?
    @Persisted var unit: InventoryUnit
    @Persisted var tags: List<String>
    @Persisted var dimensions: Map<String, Double>
    @Persisted var barcodes: MutableSet<String>
    @Persisted var isActive = true

    override class func propertiesMapping() -> [String: String] {
        ["details": "description_text", "isActive": "is_active"]
    }
}

class InventoryItem: Object {
    @Persisted(primaryKey: true) var sku: String
    @Persisted var code: InventorySKU?
    @Persisted var price: InventoryMoney?
    @Persisted var product: InventoryProduct?
    @Persisted var supplier: InventorySupplier?
    @Persisted var history: List<InventoryMovement>
    @Persisted var updatedAt: Date?
}

class InventoryMovement: EmbeddedObject {
    @Persisted var delta: Int
    @Persisted var at: Date
    @Persisted var reason: String?
}

class InventorySupplier: Object {
    @Persisted(primaryKey: true) var id: ObjectId
    @Persisted var name = ""
    @Persisted var contact: AnyRealmValue
    @Persisted(originProperty: "supplier") var items: LinkingObjects<InventoryItem>
}

struct InventorySync {
    let realm: Realm

    /// Imports the server's data.
    func importProducts(_ json: Data) throws -> Int {
        let products = try JSONDecoder().decode([InventoryProduct].self, from: json)
        try realm.write {
            realm.add(products, update: .modified)
        }
        return products.count
    }

    func importRaw(_ dictionaries: [[String: Any]]) throws {
        try realm.write {
            for dictionary in dictionaries {
                realm.create(InventoryItem.self, value: dictionary, update: .modified)
            }
        }
    }

    func move(_ delta: Int, of sku: String, reason: String? = nil) throws {
        guard let item = realm.object(ofType: InventoryItem.self, forPrimaryKey: sku) else { return }
        try realm.write {
            item.product?.quantity += delta
            let movement = InventoryMovement()
            movement.delta = delta
            movement.reason = reason
            item.history.append(movement)
        }
    }

    func shortages() -> Results<InventoryProduct> {
        realm.objects(InventoryProduct.self).where { $0.minimum != nil }.filter("quantity < minimum")
    }

    func report() -> (count: Int, total: Int, average: Double?, heaviest: Float?) {
        let products = realm.objects(InventoryProduct.self).filter("isActive == true")
        return (
            products.count, products.sum(ofProperty: "quantity"), products.average(ofProperty: "quantity"),
            products.max(ofProperty: "weight") as Float?
        )
    }

    func raise(by amount: Int) throws {
        try realm.write {
            realm.objects(InventoryProduct.self).setValue(amount, forKey: "minimum")
            for product in realm.objects(InventoryProduct.self) {
                product["quantity"] = (product["quantity"] as? Int ?? 0) + amount
            }
        }
    }
}
