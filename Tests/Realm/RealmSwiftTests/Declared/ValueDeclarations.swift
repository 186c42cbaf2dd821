import Foundation
import RealmSwift
import Testing

@Suite("Declarations: values")
struct ValueDeclarations {
    @Test(
        """
        AnyRealmValue.{intValue,boolValue,floatValue,doubleValue,stringValue,dataValue,dateValue,objectIdValue} \
        AnyRealmValue.{decimal128Value,uuidValue} each gives its own kind alone, stored or not
        """, arguments: Form.allCases)
    func accessors(_ form: Form) throws {
        let (id, uuid, date) = (ObjectId.generate(), UUID(), Date(timeIntervalSince1970: 5.5))
        let values: [AnyRealmValue] = [
            .int(1), .bool(true), .float(1.5), .double(2.5), .string("s"), .data(Data([1])), .date(date),
            .objectId(id), .decimal128("1.5"), .uuid(uuid),
        ]
        func told(_ value: AnyRealmValue) -> [Bool] {
            [
                value.intValue == 1, value.boolValue == true, value.floatValue == 1.5, value.doubleValue == 2.5,
                value.stringValue == "s", value.dataValue == Data([1]), value.dateValue == date,
                value.objectIdValue == id, value.decimal128Value == "1.5", value.uuidValue == uuid,
            ]
        }
        func count(_ value: AnyRealmValue) -> Int {
            let all: [Any?] = [
                value.intValue, value.boolValue, value.floatValue, value.doubleValue, value.stringValue,
                value.dataValue, value.dateValue, value.objectIdValue, value.decimal128Value, value.uuidValue,
                value.object(ProofDog.self), value.dynamicObject, value.dictionaryValue, value.listValue,
            ]
            return all.count { $0 != nil }
        }
        try form.stage { stage in
            for (index, value) in values.enumerated() {
                try stage.edit { $0.any = value }
                let stored = stage.owner.any
                #expect(stored == value && count(stored) == 1)
                #expect(told(stored) == values.indices.map { $0 == index }, "\(value)")
            }
            try stage.edit { $0.any = .none }
            #expect(stage.owner.any == .none && count(stage.owner.any) == 0)
        }
    }

    @Test("AnyRealmValue.{object(_:),dynamicObject} give objects, by class and by name", arguments: Form.managed)
    func objects(_ form: Form) throws {
        try form.stage { stage in
            try stage.edit { $0.any = .object(ProofDog(4, "Rex")) }
            let any = stage.owner.any
            #expect(any.object(ProofDog.self)?.id == 4 && any.object(ProofOwner.self) == nil)
            #expect(any.dynamicObject?.name as? String == "Rex" && any.dynamicObject?["id"] as? Int == 4)
            if let dog = any.object(ProofDog.self) { try stage.edit { _ in stage.realm?.delete(dog) } }
            #expect(stage.owner.any == .none)
        }
    }

    @Test(
        "AnyRealmValue.{fromDictionary(_:),fromArray(_:),dictionaryValue,listValue} hold collections, at any depth",
        arguments: Form.allCases)
    func nested(_ form: Form) throws {
        try form.stage { stage in
            try stage.edit { $0.any = .fromDictionary(["a": .fromArray([.int(1), .fromDictionary(["b": .none])])]) }
            let list = try #require(stage.owner.any.dictionaryValue?["a"]?.listValue)
            #expect(list.count == 2 && list[0] == .int(1) && list[1].dictionaryValue?.keys == ["b"])
            try stage.edit { _ in list.append(.string("new")) }
            #expect(stage.owner.any.dictionaryValue?["a"]?.listValue?.last == .string("new"))
            try stage.edit { $0.any = .fromArray([]) }
            #expect(stage.owner.any.listValue?.isEmpty == true && stage.owner.any.dictionaryValue == nil)
        }
    }

    @Test("AnyRealmValue.== AnyRealmValue tells cases apart where the database does not; no embedded objects")
    func equality() throws {
        #expect(AnyRealmValue.int(1) != .double(1) && AnyRealmValue.int(1) == .int(1) && AnyRealmValue.none == .none)
        #expect(Set<AnyRealmValue>([.int(1), .int(1), .float(1), .string("1")]).count == 3)
        try Form.inMemory.stage { stage in
            try stage.edit { $0.any = .int(1) }
            let owners = try #require(stage.realm?.objects(ProofOwner.self))
            #expect(owners.filter("any == 1.0").count == 1 && owners.filter("any == '1'").isEmpty)
        }
    }

    @Test(
        """
        Decimal128 Decimal128.{init(value:),init(number:),init(string:),literals,Comparable,+,-,*,/,magnitude} \
        Decimal128.{isNaN,min,max,Codable} count, compare, and say what they are
        """)
    func decimals() throws {
        #expect(Decimal128(value: 3) == 3 && Decimal128(value: "1.5") == 1.5 && Decimal128(value: 2.5) == 2.5)
        #expect(Decimal128(value: Decimal128(7)) == 7 && Decimal128(number: NSNumber(value: 4.25)) == 4.25)
        #expect(try Decimal128(string: "123456789012345678901234567890.5").description.hasSuffix("7890.5"))
        let (int, float, text): (Decimal128, Decimal128, Decimal128) = (1, 1.5, "2.5")
        #expect(int < float && float < text && [text, int, float].sorted() == [1, 1.5, 2.5])
        #expect(int + float == text && text - float == int && float * 2 == 3 && float / 2 == 0.75)
        #expect((-float).magnitude == 1.5 && float.magnitude == 1.5 && -int < 0)
        #expect((Decimal128(0) / 0).isNaN && !int.isNaN && Decimal128(1) / 3 < 0.3333333334)
        #expect(Decimal128.min < int && Decimal128.max > int && Decimal128.max.description.contains("E6"))
        // 34 digits.
        #expect((Decimal128(1) / 3).description == "0." + String(repeating: "3", count: 34))
        #expect(try String(decoding: JSONEncoder().encode([float]), as: UTF8.self) == #"["1.5"]"#)
        #expect(try JSONDecoder().decode([Decimal128].self, from: Data(#"[1, 1.5, "2.50"]"#.utf8)) == [1, 1.5, 2.5])
        #expect(throws: DecodingError.self) { try JSONDecoder().decode([Decimal128].self, from: Data("[true]".utf8)) }
    }

    @Test(
        """
        ObjectId ObjectId.{generate(),init(string:),init(timestamp:machineId:processId:),timestamp,stringValue} \
        ObjectId.{Comparable,Codable} have seconds, a random part and a counter
        """)
    func objectIds() throws {
        let before = Date(timeIntervalSince1970: Date().timeIntervalSince1970.rounded(.down))
        let (first, second) = (ObjectId.generate(), ObjectId.generate())
        #expect(first < second && first.timestamp >= before && first.timestamp <= Date())
        func random(_ id: ObjectId) -> Substring { id.stringValue.prefix(18).suffix(10) }
        #expect(first.stringValue.count == 24 && random(first) == random(second))
        #expect(try ObjectId(string: "ABCDEF00112233445566778a").stringValue == "abcdef00112233445566778a")
        for text in ["", "12", "zz0000000000000000000000", "0000000000000000000000001"] {
            #expect(throws: (any Error).self, "\(text)") { try ObjectId(string: text) }
        }
        let made = ObjectId(timestamp: Date(timeIntervalSince1970: 1), machineId: 2, processId: 3)
        #expect(made.timestamp == Date(timeIntervalSince1970: 1) && made.stringValue.hasPrefix("00000001"))
        #expect(made < first && ObjectId() < made && made.description == made.stringValue)
        #expect(try String(decoding: JSONEncoder().encode([made]), as: UTF8.self) == "[\"\(made.stringValue)\"]")
        #expect(try JSONDecoder().decode([ObjectId].self, from: JSONEncoder().encode([made])) == [made])
        #expect(throws: (any Error).self) { try JSONDecoder().decode([ObjectId].self, from: Data(#"["x"]"#.utf8)) }
    }

    @Test("GeoPoint GeoBox GeoPolygon GeoCircle Distance have limits")
    func shapes() throws {
        #expect(GeoPoint(latitude: 90, longitude: -180)?.longitude == -180)
        #expect(GeoPoint(latitude: 90.1, longitude: 0) == nil && GeoPoint(latitude: -90.1, longitude: 0) == nil)
        #expect(GeoPoint(latitude: 0, longitude: 180.1) == nil && GeoPoint(latitude: 0, longitude: -180.1) == nil)
        #expect(GeoPoint(latitude: .nan, longitude: 0) == nil)
        let (a, b) = try (
            #require(GeoPoint(latitude: 1, longitude: 2)), #require(GeoPoint(latitude: 3, longitude: 4))
        )
        let c = try #require(GeoPoint(latitude: 1, longitude: 5))
        #expect(GeoBox(bottomLeft: a, topRight: b) == GeoBox(bottomLeft: (1, 2), topRight: (3, 4)))
        #expect(GeoBox(bottomLeft: (91, 2), topRight: (3, 4)) == nil)
        #expect(GeoPolygon(outerRing: [a, b, c, a])?.outerRing.count == 4)
        #expect(GeoPolygon(outerRing: [a, b, a]) == nil && GeoPolygon(outerRing: [a, b, c, b]) == nil)
        #expect(GeoPolygon(outerRing: [a, b, c, a], holes: [a, b, c]) == nil)
        let distance = try #require(Distance.kilometers(100))
        #expect(Distance.kilometers(-1) == nil && Distance.miles(-1) == nil && Distance.degrees(-1) == nil)
        #expect(Distance.radians(-0.1) == nil && Distance.radians(0.5)?.radians == 0.5)
        #expect(abs(distance.asKilometers() - 100) < 1e-9 && abs(distance.asMiles() - 62.137) < 0.1)
        let far = try #require(Distance.degrees(180))
        #expect(abs(far.radians - .pi) < 1e-12 && far > distance)
        #expect(GeoCircle(center: a, radius: distance).radiusInRadians == distance.radians)
        #expect(GeoCircle(center: (1, 2), radiusInRadians: -1) == nil)
        #expect(GeoCircle(center: a, radiusInRadians: 0.5) == GeoCircle(center: (1, 2), radiusInRadians: 0.5))
    }
}
