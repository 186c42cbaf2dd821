import Foundation
import RealmSwift
import Testing

class CodedEmbedded: EmbeddedObject, Codable {
    @Persisted var street = ""
    @Persisted var since: Date?
}

enum CodedSize: Int, PersistableEnum, Codable { case small = 1, large }

class CodedThing: Object, Codable {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var bool: Bool
    @Persisted var small: Int8
    @Persisted var float: Float
    @Persisted var double: Double?
    @Persisted var string: String
    @Persisted var data: Data
    @Persisted var optionalData: Data?
    @Persisted var date: Date
    @Persisted var optionalDate: Date?
    @Persisted var decimal: Decimal128
    @Persisted var objectId: ObjectId
    @Persisted var uuid: UUID
    @Persisted var size: CodedSize = .small
    @Persisted var optionalSize: CodedSize?
    @Persisted var home: CodedEmbedded?
    @Persisted var homes: List<CodedEmbedded>
    @Persisted var dates: List<Date>
    @Persisted var optionalDates: List<Date?>
    @Persisted var blobs: MutableSet<Data>
    @Persisted var dateMap: Map<String, Date>
    @Persisted var dataMap: Map<String, Data?>
    @Persisted var homeMap: Map<String, CodedEmbedded?>
}

/// Models with the compiler's own `Codable`.
@Suite("Coding of models")
struct CodingRuleTests {
    private static let date = Date(timeIntervalSince1970: 86_400)

    private static func thing() throws -> CodedThing {
        let thing = CodedThing()
        (thing.id, thing.bool, thing.small, thing.float, thing.double) = (7, true, -3, 1.5, 2.25)
        (thing.string, thing.data, thing.date, thing.optionalDate) = ("é", Data([1, 2]), date, date)
        thing.decimal = "1.5"
        thing.objectId = try ObjectId(string: "0123456789abcdef01234567")
        thing.uuid = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))
        (thing.size, thing.optionalSize) = (.large, .small)
        thing.home = CodedEmbedded(value: ["street": "s", "since": date] as [String: Any])
        thing.homes.append(CodedEmbedded(value: ["street": "t"]))
        thing.dates.append(date)
        thing.optionalDates.append(objectsIn: [nil, date])
        thing.blobs.insert(Data([3]))
        thing.dateMap["d"] = date
        thing.dataMap["x"] = Data([4])
        thing.homeMap["h"] = CodedEmbedded(value: ["street": "u", "since": date] as [String: Any])
        return thing
    }

    /// The strategies for dates, and what the date of 1970-01-02 is.
    private static let dates: [(String, JSONEncoder.DateEncodingStrategy, JSONDecoder.DateDecodingStrategy, String)] = [
        ("seconds", .secondsSince1970, .secondsSince1970, "86400"),
        ("milliseconds", .millisecondsSince1970, .millisecondsSince1970, "86400000"),
        ("iso8601", .iso8601, .iso8601, #""1970-01-02T00:00:00Z""#),
        ("deferred", .deferredToDate, .deferredToDate, "-978220800"),
        (
            "custom",
            .custom { date, encoder in
                var container = encoder.singleValueContainer()
                try container.encode("day \(Int(date.timeIntervalSince1970 / 86_400))")
            },
            .custom { decoder in
                let text = try decoder.singleValueContainer().decode(String.self)
                return Date(timeIntervalSince1970: (Double(text.dropFirst(4)) ?? .nan) * 86_400)
            }, #""day 1""#
        ),
    ]

    @Test(
        "Codable @Persisted every strategy for dates reaches properties, optionals, collections and embedded objects"
    )
    func dateStrategies() throws {
        for (name, encoding, decoding, text) in Self.dates {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            encoder.dateEncodingStrategy = encoding
            let bytes = try encoder.encode(Self.thing())
            let json = String(decoding: bytes, as: UTF8.self)
            for part in [
                "\"date\":\(text)", "\"optionalDate\":\(text)", "\"dates\":[\(text)]",
                "\"optionalDates\":[null,\(text)]",
                "\"dateMap\":{\"d\":\(text)}", "\"since\":\(text)",
            ] {
                #expect(json.contains(part), "\(name): \(part) in \(json)")
            }
            let decoder = JSONDecoder()
            decoder.dateDecodingStrategy = decoding
            let copy = try decoder.decode(CodedThing.self, from: bytes)
            #expect(copy.date == Self.date && copy.optionalDate == Self.date, "\(name)")
            #expect(Array(copy.dates) == [Self.date] && Array(copy.optionalDates) == [nil, Self.date], "\(name)")
            #expect(copy.dateMap["d"] == Self.date && copy.home?.since == Self.date, "\(name)")
            #expect(copy.homeMap["h"]??.since == Self.date, "\(name)")
            #expect(String(decoding: try encoder.encode(copy), as: UTF8.self) == json, "\(name)")
        }
    }

    @Test("Codable @Persisted every strategy for data reaches properties, sets and maps")
    func dataStrategies() throws {
        let strategies: [(JSONEncoder.DataEncodingStrategy, JSONDecoder.DataDecodingStrategy, (Data) -> String)] = [
            (.base64, .base64, { "\"\($0.base64EncodedString())\"" }),
            (.deferredToData, .deferredToData, { "[\($0.map { "\($0)" }.joined(separator: ","))]" }),
            (
                .custom { data, encoder in
                    var container = encoder.singleValueContainer()
                    try container.encode(data.map { String($0, radix: 16) }.joined(separator: "-"))
                },
                .custom { decoder in
                    let text = try decoder.singleValueContainer().decode(String.self)
                    return Data(text.split(separator: "-").compactMap { UInt8($0, radix: 16) })
                }, { "\"\($0.map { String($0, radix: 16) }.joined(separator: "-"))\"" }
            ),
        ]
        for (encoding, decoding, text) in strategies {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            encoder.dataEncodingStrategy = encoding
            let bytes = try encoder.encode(Self.thing())
            let json = String(decoding: bytes, as: UTF8.self)
            for part in [
                "\"data\":\(text(Data([1, 2])))", "\"blobs\":[\(text(Data([3])))]",
                "\"dataMap\":{\"x\":\(text(Data([4])))}", "\"optionalData\":null",
            ] {
                #expect(json.contains(part), "\(part) in \(json)")
            }
            let decoder = JSONDecoder()
            decoder.dataDecodingStrategy = decoding
            let copy = try decoder.decode(CodedThing.self, from: bytes)
            #expect(copy.data == Data([1, 2]) && copy.optionalData == nil && copy.blobs.contains(Data([3])))
            #expect(copy.dataMap["x"] == .some(Data([4])))
        }
    }

    @Test("Codable @Persisted other types go there and back, by JSON and by property lists")
    func roundTrip() throws {
        func check(_ copy: CodedThing) {
            #expect(copy.id == 7 && copy.bool && copy.small == -3 && copy.float == 1.5 && copy.double == 2.25)
            #expect(copy.string == "é" && copy.decimal == "1.5" && copy.size == .large && copy.optionalSize == .small)
            #expect(copy.objectId.stringValue == "0123456789abcdef01234567" && copy.uuid.uuid.15 == 16)
            #expect(copy.home?.street == "s" && copy.homes.map(\.street) == ["t"] && copy.homeMap.keys == ["h"])
            #expect(copy.realm == nil && copy.homes.realm == nil)
        }
        check(try JSONDecoder().decode(CodedThing.self, from: JSONEncoder().encode(Self.thing())))
        check(try PropertyListDecoder().decode(CodedThing.self, from: PropertyListEncoder().encode(Self.thing())))
    }

    @Test("Codable @Persisted missing optional keys are nil, a missing required one and a wrong type are faults")
    func missing() throws {
        let encoder = JSONEncoder()
        let whole = try JSONSerialization.jsonObject(with: encoder.encode(Self.thing())) as? [String: Any] ?? [:]
        func decode(without name: String) throws -> CodedThing {
            var part = whole
            part[name] = nil
            return try JSONDecoder().decode(CodedThing.self, from: JSONSerialization.data(withJSONObject: part))
        }
        for name in ["double", "optionalData", "optionalDate", "optionalSize", "home"] {
            #expect(try decode(without: name).value(forKey: name) == nil, "\(name)")
        }
        for name in ["id", "string", "date", "dates", "dateMap", "size"] {
            #expect(throws: DecodingError.self, "\(name)") { _ = try decode(without: name) }
        }
        var wrong = whole
        wrong["bool"] = "yes"
        let bytes = try JSONSerialization.data(withJSONObject: wrong)
        #expect(throws: DecodingError.self) { _ = try JSONDecoder().decode(CodedThing.self, from: bytes) }
        wrong = whole
        wrong["size"] = 99
        let unknownCase = try JSONSerialization.data(withJSONObject: wrong)
        #expect(throws: DecodingError.self) { _ = try JSONDecoder().decode(CodedThing.self, from: unknownCase) }
    }

    @Test("Codable List Map managed collections encode, decoded objects are added")
    func managed() throws {
        let realm = try ParityRealm.open([CodedThing.self, CodedEmbedded.self])
        let decoded = try JSONDecoder().decode(CodedThing.self, from: JSONEncoder().encode(Self.thing()))
        try realm.write { realm.add(decoded) }
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .secondsSince1970
        #expect(String(decoding: try encoder.encode(decoded.dates), as: UTF8.self) == "[86400]")
        #expect(String(decoding: try encoder.encode(decoded.dateMap), as: UTF8.self) == #"{"d":86400}"#)
        #expect(String(decoding: try encoder.encode(decoded.blobs), as: UTF8.self) == #"["Aw=="]"#)
        #expect(throws: EncodingError.self) { _ = try encoder.encode(decoded) }
        let numbers = try JSONDecoder().decode(List<Int?>.self, from: Data("[1,null,3]".utf8))
        #expect(Array(numbers) == [1, nil, 3])
        let map = try JSONDecoder().decode(Map<String, Int?>.self, from: Data(#"{"a":1,"b":null}"#.utf8))
        #expect(map["a"] == .some(1) && map.keys.sorted() == ["a", "b"])
        let set = try JSONDecoder().decode(MutableSet<String>.self, from: Data(#"["x","x","y"]"#.utf8))
        #expect(set.count == 2)
    }
}
