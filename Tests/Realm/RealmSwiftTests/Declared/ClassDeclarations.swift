import Foundation
import RealmSwift
import Testing

class ProofClass: Object {
    @Persisted(primaryKey: true) var key: String
    @Persisted(indexed: true) var indexed: Int
    @Persisted(wrappedValue: 7, indexed: true) var both: Int
    @Persisted var declared = "text"
    @Persisted var plain: Bool
    @Persisted var stored: String
    @Persisted(originProperty: "target") var sources: LinkingObjects<ProofSource>
    var ignored = 1

    override class func propertiesMapping() -> [String: String] { ["stored": "stored_name"] }
}

class ProofSource: Object {
    @Persisted var target: ProofClass?
    @Persisted var part: ProofPart?
}

class ProofPart: EmbeddedObject {
    @Persisted var street = "declared"
    @Persisted var number: Int?
    var ignored = 1

    override class func ignoredProperties() -> [String] { ["ignored"] }
    override class func propertiesMapping() -> [String: String] { ["street": "street_name"] }
}

/// A class of every type, in every way.
class ProofTypes: Object {
    @Persisted var int8: Int8
    @Persisted var optFloat: Float?
    @Persisted var optBool: Bool?
    @Persisted var optData: Data?
    @Persisted var optDecimal: Decimal128?
    @Persisted var optId: ObjectId?
    @Persisted var optUuid: UUID?
    @Persisted var links: List<ProofTypes>
    @Persisted var set: MutableSet<UUID>
    @Persisted var map: Map<String, Decimal128>
    @Persisted var mixed: AnyRealmValue
    @Persisted var link: ProofTypes?
}

@Suite("Declarations: classes")
struct ClassDeclarations {
    static let types: [ObjectBase.Type] = [ProofClass.self, ProofSource.self, ProofPart.self, ProofTypes.self]

    static func realm() throws -> Realm {
        try Realm(configuration: Realm.Configuration(inMemoryIdentifier: UUID().uuidString, objectTypes: types))
    }

    @Test(
        """
        Object Persisted Persisted(primaryKey:) Persisted(indexed:) Persisted(originProperty:) \
        EmbeddedObject.propertiesMapping() keys, indexes, backlinks and stored names
        """)
    func properties() async throws {
        let realm = try Self.realm()
        let schema = try #require(realm.schema["ProofClass"])
        #expect(schema.primaryKeyProperty?.name == "key" && schema["key"]?.isIndexed == true)
        #expect(schema["indexed"]?.isIndexed == true && schema["both"]?.isIndexed == true)
        #expect(schema["declared"]?.isIndexed == false && schema["ignored"] == nil)
        #expect(schema["stored"]?.columnName == "stored_name" && schema["sources"]?.type == .linkingObjects)
        #expect(realm.schema["ProofPart"]?["street"]?.columnName == "street_name")
        let object = ProofClass(value: ["key": "k"])
        #expect(object.indexed == 0 && object.both == 7 && object.declared == "text" && object.sources.isEmpty)
        try realm.write {
            realm.add(object)
            realm.create(ProofSource.self, value: ["target": object])
            object.stored = "s"
        }
        #expect(object.sources.count == 1 && realm.objects(ProofClass.self).filter("stored == 's'").count == 1)
        #expect(realm.objects(ProofClass.self).where { $0.sources.count == 1 }.count == 1)
        #expect(
            await exception {
                let realm = try Self.realm()
                try realm.write { realm.create(ProofClass.self, value: ["key": "a"]).key = "b" }
            } == "Cannot modify primary key")
    }

    @Test("Persisted.types optional ones, links and collections, managed or not", arguments: [false, true])
    func types(_ isManaged: Bool) throws {
        let realm = try Self.realm()
        let object = ProofTypes()
        if isManaged { try realm.write { realm.add(object) } }
        func edit(_ body: () -> Void) throws { if isManaged { try realm.write { body() } } else { body() } }
        #expect(object.optFloat == nil && object.optBool == nil && object.optData == nil && object.optDecimal == nil)
        #expect(object.optId == nil && object.optUuid == nil && object.link == nil && object.mixed == .none)
        #expect(object.links.isEmpty && object.set.isEmpty && object.map.count == 0)
        let (id, uuid) = (ObjectId.generate(), UUID())
        try edit {
            (object.int8, object.optFloat, object.optBool) = (-128, .infinity, false)
            (object.optData, object.optDecimal, object.optId, object.optUuid) = (Data(), "1E-6", id, uuid)
            object.links.append(object)
            object.link = object
            object.set.insert(uuid)
            object.map["a"] = 1.5
        }
        #expect(object.int8 == -128 && object.optFloat == .infinity && object.optBool == false)
        #expect(object.optData == Data() && object.optDecimal == "1E-6" && object.optId == id && object.optUuid == uuid)
        #expect(object.links.first?.link?.int8 == -128 && object.set.contains(uuid) && object.map["a"] == 1.5)
        try edit {
            (object.optFloat, object.optBool, object.optData, object.optId) = (nil, nil, nil, nil)
            (object.optDecimal, object.optUuid, object.link) = (nil, nil, nil)
        }
        #expect(object.optFloat == nil && object.optBool == nil && object.optData == nil && object.optId == nil)
        #expect(object.optDecimal == nil && object.optUuid == nil && object.link == nil)
        if isManaged { try realm.write { realm.delete(object) } }
    }

    @Test(
        """
        EmbeddedObject.{init(value:),realm,isInvalidated,objectSchema,subscript,isSameObject(as:),freeze()} \
        EmbeddedObject.{thaw(),ignoredProperties(),propertiesMapping()} are objects that belong to one
        """)
    func embedded() async throws {
        let realm = try Self.realm()
        let part = ProofPart(value: ["street": "Elm", "number": 3])
        #expect(part.realm == nil && !part.isInvalidated && part.number == 3 && part["street"] as? String == "Elm")
        #expect(part.objectSchema.isEmbedded && part.objectSchema.properties.map(\.name) == ["street", "number"])
        #expect(ProofPart.ignoredProperties() == ["ignored"] && ProofPart(value: [] as [Any]).street == "declared")
        part["number"] = 4
        let source = ProofSource()
        try realm.write {
            realm.add(source)
            source.part = part
        }
        #expect(part.realm == realm && part.number == 4 && part.isSameObject(as: source.part))
        #expect(!part.isSameObject(as: ProofPart()) && !part.isSameObject(as: nil))
        let frozen = part.freeze()
        try realm.write {
            part["number"] = NSNull()
            part.street = "Oak"
        }
        #expect(frozen.isFrozen && frozen.number == 4 && frozen.street == "Elm" && part.number == nil)
        #expect(frozen.thaw()?.street == "Oak" && !frozen.isSameObject(as: part))
        try realm.write { source.part = ProofPart() }
        #expect(part.isInvalidated && realm.objects(ProofPart.self).count == 1)
        #expect(frozen.thaw() == nil && frozen.street == "Elm")
        #expect(
            await exception {
                let realm = try Self.realm()
                let source = try realm.write { realm.create(ProofSource.self, value: ["part": ["number": 1]]) }
                source.part?.number = 2
            } == "Cannot modify managed objects outside of a write transaction.")
        #expect(await exception { _ = ProofPart().freeze() } == "Unmanaged objects cannot be frozen.")
        #expect(
            await exception { ProofPart()["nothing"] = 1 }
                == "Invalid property name 'nothing' for class 'ProofPart'.")
    }

    @Test("EmbeddedObject EmbeddedObject.observe an embedded object tells its changes and its end")
    func embeddedObserved() async throws {
        let fixture = QueueFixture(Self.types)
        try fixture.run { realm in
            try realm.write { realm.create(ProofSource.self, value: ["part": ["number": 1]]) }
            guard let part = realm.objects(ProofSource.self)[0].part else { return }
            fixture.keep(
                part.observe { (change: ObjectChange<ProofPart>) in
                    switch change {
                    case .change(let part, let changes): fixture.note("\(changes.map(\.name)) \(part.number ?? -1)")
                    case .deleted: fixture.note("deleted")
                    case .error: fixture.note("error")
                    }
                })
        }
        try fixture.run { realm in try realm.write { realm.objects(ProofSource.self)[0].part?.number = 5 } }
        _ = try await fixture.notes(1)
        try fixture.run { realm in try realm.write { realm.objects(ProofSource.self)[0].part = nil } }
        #expect(try await fixture.notes(2) == [#"["number"] 5"#, "deleted"])
    }

    @Test(
        """
        Property.{columnName,description,==} Schema.description ObjectSchema.description \
        PropertyType.{linkingObjects,any,UUID} what is printed and compared
        """)
    func schemas() throws {
        let realm = try Self.realm()
        let schema = try #require(realm.schema["ProofTypes"])
        #expect(schema["link"]?.columnName == "link" && schema["set"]?.type == .UUID && schema["mixed"]?.type == .any)
        #expect(schema["optId"]?.isOptional == true && schema["link"]?.objectClassName == "ProofTypes")
        let property = try #require(schema["optId"])
        #expect(property.description.contains("optId") && property == ProofTypes().objectSchema["optId"])
        #expect(property != schema["optUuid"] && "\(schema)".contains("optId {"))
        #expect("\(realm.schema)".contains("ProofSource {"))
    }
}
