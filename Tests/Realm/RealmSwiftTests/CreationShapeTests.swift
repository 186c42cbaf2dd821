import Foundation
import RealmSwift
import Testing

class ShapeAll: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var int = 1
    @Persisted var int8: Int8 = 2
    @Persisted var bool = true
    @Persisted var float: Float = 1.5
    @Persisted var double = 2.5
    @Persisted var string = "default"
    @Persisted var data = Data([1])
    @Persisted var date = Date(timeIntervalSince1970: 5)
    @Persisted var decimal: Decimal128 = 7
    @Persisted var objectId = ObjectId("507f1f77bcf86cd799439011")
    @Persisted var uuid = UUID(
        uuid: (0xE6, 0x21, 0xE1, 0xF8, 0xC3, 0x6C, 0x49, 0x5A, 0x93, 0xFC, 0x0C, 0x24, 0x7A, 0x3E, 0x6E, 0x5F))
    @Persisted var optInt: Int?
    @Persisted var optBool: Bool?
    @Persisted var optString: String?
    @Persisted var optDate: Date? = Date(timeIntervalSince1970: 9)
    @Persisted var any: AnyRealmValue
    @Persisted var color: ShapeColor = .red
    @Persisted var optColor: ShapeColor?
    @Persisted var link: ShapeAll?
    @Persisted var links: List<ShapeAll>
    @Persisted var linkSet: MutableSet<ShapeAll>
    @Persisted var linkMap: Map<String, ShapeAll?>
    @Persisted var box: ShapeBox?
    @Persisted var boxes: List<ShapeBox>
    @Persisted var boxMap: Map<String, ShapeBox?>
    @Persisted var ints: List<Int>
    @Persisted var optInts: List<Int?>
    @Persisted var strings: MutableSet<String>
    @Persisted var doubles: Map<String, Double>
    @Persisted var optDoubles: Map<String, Double?>
    @Persisted(originProperty: "link") var backs: LinkingObjects<ShapeAll>
}

class ShapeBox: EmbeddedObject {
    @Persisted var width = 1
    @Persisted var inner: ShapeInner?
}

class ShapeInner: EmbeddedObject {
    @Persisted var depth = 1
}

enum ShapeColor: Int, PersistableEnum {
    case red = 1, green, blue
}

/// The forms in which values of objects are given: to initialisers, to `create`, and by name.
@Suite("Shapes of values")
struct CreationShapeTests {
    private static let types: [ObjectBase.Type] = [ShapeAll.self, ShapeBox.self, ShapeInner.self]

    private static func open() throws -> Realm {
        try Realm(configuration: .init(inMemoryIdentifier: UUID().uuidString, objectTypes: types))
    }

    private static var nested: [String: Any] {
        [
            "id": 1, "int": NSNumber(value: 4), "int8": 5, "bool": false, "float": 3, "double": 4, "string": "s",
            "data": NSData(data: Data([9])), "date": NSDate(timeIntervalSince1970: 3), "decimal": 1.5, "optInt": 6,
            "optBool": true, "optString": "o", "optDate": NSNull(), "any": 12, "color": 3, "optColor": ShapeColor.green,
            "link": ["id": 2, "string": "linked", "link": ["id": 3]] as [String: Any],
            "links": [["id": 4], ["id": 5, "links": [["id": 6]]]] as [[String: Any]], "linkSet": [["id": 7]],
            "linkMap": ["k": ["id": 8], "n": NSNull()] as [String: Any],
            "box": ["width": 2, "inner": ["depth": 3]] as [String: Any],
            "boxes": [["width": 4], [5]] as [Any], "boxMap": ["b": ["width": 6]], "ints": [1, 2],
            "optInts": [1, NSNull()] as [Any],
            "strings": ["a", "b", "a"], "doubles": ["x": 1], "optDoubles": ["x": 1.5, "y": NSNull()] as [String: Any],
            "unknown": 1,
        ]
    }

    private static func texts(_ object: ShapeAll) -> [String] {
        [
            "\(object.int) \(object.int8) \(object.bool) \(object.float) \(object.double) \(object.string)",
            "\(Array(object.data)) \(object.date.timeIntervalSince1970) \(object.decimal)",
            "\(object.optInt ?? 0) \(object.optBool ?? false) \(object.optString ?? "") \(object.optDate == nil)",
            "\(object.any.intValue ?? 0) \(object.color.rawValue) \(object.optColor?.rawValue ?? 0)",
            "\(object.link?.string ?? "") \(object.link?.link?.id ?? 0)",
            "\(Array(object.links.map(\.id))) \(Array(object.links[1].links.map(\.id))) \(Array(object.linkSet.map(\.id)))",
            "\(object.linkMap.keys.sorted()) \(object.linkMap["k"]??.id ?? 0) \(object.linkMap["n"] == .some(nil))",
            "\(object.box?.width ?? 0) \(object.box?.inner?.depth ?? 0) \(Array(object.boxes.map(\.width)))",
            "\(object.boxMap["b"]??.width ?? 0) \(Array(object.ints)) \(Array(object.optInts.map { $0 ?? -1 }))",
            "\(Array(object.strings).sorted()) \(object.doubles["x"] ?? 0) \((object.optDoubles["x"] ?? nil) ?? 0)",
            "\(object.optDoubles["y"] == .some(nil))",
        ]
    }

    private static let expected = [
        "4 5 false 3.0 4.0 s", "[9] 3.0 1.5", "6 true o true", "12 3 2", "linked 3", "[4, 5] [6] [7]",
        #"["k", "n"] 8 true"#, "2 3 [4, 5]", "6 [1, 2] [1, -1]", #"["a", "b"] 1.0 1.5"#, "true",
    ]

    @Test(
        "Realm.create(_:value:update:) a nested dictionary gives the same objects, unmanaged, added and created"
    )
    func dictionary() throws {
        let object = ShapeAll(value: Self.nested)
        #expect(Self.texts(object) == Self.expected)
        let realm = try Self.open()
        try realm.write { realm.add(object) }
        #expect(Self.texts(object) == Self.expected && realm.objects(ShapeAll.self).count == 8)
        let other = try Self.open()
        let created = try other.write { other.create(ShapeAll.self, value: Self.nested) }
        #expect(Self.texts(created) == Self.expected && other.objects(ShapeAll.self).count == 8)
        // From a managed object of another realm, and from an unmanaged one.
        for source in [object, ShapeAll(value: Self.nested)] {
            let copy = try Self.open()
            let copied = try copy.write { copy.create(ShapeAll.self, value: source) }
            #expect(Self.texts(copied) == Self.expected && copied.realm == copy && copied !== source)
        }
        // A copy of a managed object is unmanaged, with the same links.
        let unmanaged = ShapeAll(value: created)
        #expect(Self.texts(unmanaged) == Self.expected && unmanaged.realm == nil)
        #expect(unmanaged.link?.realm == other && unmanaged.link?.id == 2)
        #expect(try other.write { other.create(ShapeAll.self, value: created, update: .all) } == created)
        let dynamic = try other.write { other.dynamicCreate("ShapeAll", value: Self.nested, update: .modified) }
        #expect(dynamic["string"] as? String == "s" && other.objects(ShapeAll.self).count == 8)
    }

    @Test("arrays go by declaration, and may be shorter; defaults fill what is missing")
    func array() throws {
        let realm = try Self.open()
        let objects = try realm.write {
            [
                ShapeAll(value: [7, 8]), realm.create(ShapeAll.self, value: [9, 10]),
                realm.create(ShapeAll.self, value: ["id": 11]),
            ]
        }
        #expect(objects.map(\.id) == [7, 9, 11] && objects.map(\.int) == [8, 10, 1])
        for object in objects {
            #expect(object.string == "default" && object.optDate != nil && object.color == .red && object.links.isEmpty)
            #expect(object.uuid.uuidString == "E621E1F8-C36C-495A-93FC-0C247A3E6E5F" && object.any == .none)
        }
    }

    @Test(
        "UpdatePolicy.{modified,all} what is not given stays, null is null, embedded objects are replaced or kept")
    func updates() throws {
        for policy in [Realm.UpdatePolicy.modified, .all] {
            let realm = try Self.open()
            let object = try realm.write { realm.create(ShapeAll.self, value: Self.nested) }
            let box = try #require(object.box)
            try realm.write {
                realm.create(
                    ShapeAll.self,
                    value: [
                        "id": 1, "string": "new", "optInt": NSNull(), "box": ["width": 20], "ints": [9],
                        "link": ["id": 2, "int": 50],
                    ] as [String: Any], update: policy)
            }
            #expect(object.string == "new" && object.optInt == nil && object.int == 4 && Array(object.ints) == [9])
            #expect(object.link?.int == 50 && object.link?.string == "linked")
            #expect(object.box?.width == 20)
            #expect(box.isInvalidated == (policy == .all), "\(policy)")
            #expect(object.box?.inner?.depth == (policy == .all ? nil : 3), "\(policy)")
            // Adding an object gives all its properties.
            try realm.write { realm.add(ShapeAll(value: ["id": 1]), update: policy) }
            #expect(object.string == "default" && object.links.isEmpty && object.link == nil && object.box == nil)
        }
    }

    @Test(
        "what does not fit",
        arguments: [
            ("int", "property 'ShapeAll.int'"), ("bool", "'ShapeAll.bool'"), ("date", "'ShapeAll.date'"),
            ("links", "links"), ("link", "to initialize object of type 'ShapeAll'"), ("ints", "ints"),
            ("doubles", "doubles"), ("color", "color"), ("box", "to initialize object of type 'ShapeBox'"),
        ])
    func misfits(_ property: String, _ text: String) async {
        for isManaged in [false, true] {
            let message = await exception {
                let value: [String: Any] = ["id": 1, property: "x"]
                guard isManaged else {
                    _ = ShapeAll(value: value)
                    return
                }
                let realm = try Self.open()
                try realm.write { _ = realm.create(ShapeAll.self, value: value) }
            }
            #expect(
                message?.contains("Invalid value") == true && message?.contains(text) == true,
                "\(isManaged) \(property): \(message ?? "nothing")")
        }
    }

    @Test("null for what must have a value", arguments: ["int", "string", "date", "uuid", "color"])
    func nulls(_ property: String) async {
        for isManaged in [false, true] {
            let message = await exception {
                let value: [String: Any] = ["id": 1, property: NSNull()]
                guard isManaged else {
                    _ = ShapeAll(value: value)
                    return
                }
                let realm = try Self.open()
                try realm.write { _ = realm.create(ShapeAll.self, value: value) }
            }
            #expect(
                message?.contains(property) == true, "\(isManaged) \(property): \(message ?? "nothing")")
        }
    }

    @Test(
        "properties by name and key path, of unmanaged and managed objects", arguments: [false, true])
    func byName(_ isManaged: Bool) throws {
        let realm = try Self.open()
        let object = ShapeAll(value: Self.nested)
        realm.beginWrite()
        if isManaged { realm.add(object) }
        #expect(object["int"] as? Int == 4 && object.value(forKey: "int8") as? Int8 == 5)
        #expect(object["any"] as? Int == 12 && object["color"] as? Int == 3 && object["optDate"] == nil)
        #expect((object["link"] as? ShapeAll)?.id == 2 && (object["links"] as? List<ShapeAll>)?.count == 2)
        #expect(object.value(forKeyPath: "link.link.id") as? Int == 3)
        #expect(object.value(forKeyPath: "links.@sum.id") as? Int == 9)
        #expect(
            object.value(forKeyPath: "links.@max.id") as? Int == 5
                && object.value(forKeyPath: "links.@count") as? Int == 2)
        #expect(object.value(forKeyPath: "links.id") as? [Int] == [4, 5])
        #expect(object.value(forKeyPath: "links.@unionOfObjects.string") as? [String] == ["default", "default"])
        #expect(object.value(forKeyPath: "links.@distinctUnionOfObjects.string") as? [String] == ["default"])
        #expect((object.value(forKeyPath: "links.@unionOfArrays.links") as? [ShapeAll])?.map(\.id) == [6])
        #expect(object.value(forKeyPath: "doubles.x") as? Double == 1)
        object["int"] = 40
        object.setValue("by name", forKey: "string")
        object["optInt"] = nil
        object.setValue(NSNull(), forKey: "optString")
        object["ints"] = [7, 8]
        object["strings"] = ["q"]
        object["doubles"] = ["z": 2.5]
        object["color"] = 2
        object["any"] = "mixed"
        object["box"] = ["width": 70]
        object["link"] = nil
        object["links"] = [ShapeAll(value: ["id": 90])]
        object.setValue(77, forKeyPath: "box.inner.depth")
        object.setValue(78, forKeyPath: "box.width")
        object.links.setValue("all", forKey: "string")
        object.doubles.setValue(3.5, forKey: "w")
        #expect(object.int == 40 && object.string == "by name" && object.optInt == nil && object.optString == nil)
        #expect(Array(object.ints) == [7, 8] && Array(object.strings) == ["q"] && object.doubles["z"] == 2.5)
        #expect(object.color == .green && object.any == .string("mixed") && object.box?.width == 78)
        #expect(object.link == nil && object.links.map(\.id) == [90] && object.links[0].string == "all")
        #expect(object.doubles["w"] == 3.5 && object.box?.inner == nil)
        realm.cancelWrite()
    }

    @Test("descriptions: values, links, collections, embedded objects, data and cycles")
    func description() throws {
        let object = ShapeAll(value: ["id": 1, "box": ["width": 2], "ints": [5], "doubles": ["x": 1]] as [String: Any])
        object.link = object
        let unmanaged = object.description
        let realm = try Self.open()
        try realm.write { realm.add(object) }
        for text in [unmanaged, object.description, object.freeze().description] {
            #expect(
                text.hasPrefix("ShapeAll {\n\tid = 1;\n\tint = 1;\n\tint8 = 2;\n\tbool = 1;")
                    || text.hasPrefix("ShapeAll {\n\tid = 1;\n\tint = 1;\n\tint8 = 2;\n\tbool = true;"), "\(text)")
            #expect(text.contains("<Maximum depth exceeded>") && text.contains("\tbox = ShapeBox {\n\t\twidth = 2;"))
            #expect(text.contains("ints = List<int>") || text.contains("ints = List<Int>"), "\(text)")
            #expect(text.contains("optInt = (null);") || text.contains("optInt = nil;"))
        }
        try realm.write { realm.delete(object) }
        #expect(object.description == "[invalid object]")
    }
}
