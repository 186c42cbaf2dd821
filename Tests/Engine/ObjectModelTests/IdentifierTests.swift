import ObjectModel
import StoreTesting
import Testing
import TestBasics

struct IdentifierTests {
    @Test("an ObjectId is parsed from 24 digits of either case and written in lower case")
    func objectIds() throws {
        let id = try #require(ObjectId(hex: "507F1f77bcf86cd799439011"))
        #expect(id.hex == "507f1f77bcf86cd799439011")
        #expect(id.high == 0x507F_1F77)
        #expect(id.low == 0xBCF8_6CD7_9943_9011)
        #expect(ObjectId(bytes: id.bytes) == id)
        #expect(id.bytes.first == 0x50)
        for text in ["", "507f1f77bcf86cd79943901", "507f1f77bcf86cd7994390111", "507f1f77bcf86cd79943901g", "５07f"] {
            #expect(ObjectId(hex: text) == nil, "\(text)")
        }
        #expect(ObjectId(bytes: [UInt8](repeating: 1, count: 11)) == nil)
    }

    @Test("a UUID is parsed from its hyphenated form of either case and written in lower case")
    func uuids() throws {
        let uuid = try #require(UUIDValue(text: "3B241101-e2bb-4255-8caf-4136c566a962"))
        #expect(uuid.text == "3b241101-e2bb-4255-8caf-4136c566a962")
        #expect(UUIDValue(bytes: uuid.bytes) == uuid)
        for text in [
            "", "3b241101e2bb42558caf4136c566a962", "3b241101-e2bb-4255-8caf-4136c566a96",
            "3b24110-1e2bb-4255-8caf-4136c566a962", "3b241101-e2bb-4255-8caf-4136c566a96g",
            "3b241101-e2bb-4255-8caf-4136c566a9622", "{3b241101-e2bb-4255-8caf-4136c566a9}",
        ] {
            #expect(UUIDValue(text: text) == nil, "\(text)")
        }
        #expect(UUIDValue(bytes: [UInt8](repeating: 1, count: 17)) == nil)
    }

    @Test("identifiers are ordered by their bytes")
    func order() throws {
        let seed = TestSeed.of()
        var random = SeededRandom(seed: seed)
        for _ in 0..<500 {
            let high = { (random: inout SeededRandom) in UInt32(random.next() % 3) }
            let a = ObjectId(high: high(&random), low: random.next())
            let b = ObjectId(high: high(&random), low: random.next())
            #expect((a < b) == a.bytes.lexicographicallyPrecedes(b.bytes), "seed \(seed)")
            let c = UUIDValue(high: random.next() % 2, low: random.next())
            let d = UUIDValue(high: random.next() % 2, low: random.next())
            #expect((c < d) == c.bytes.lexicographicallyPrecedes(d.bytes), "seed \(seed)")
        }
    }

    @Test("generated identifiers differ, and UUIDs are of version 4 and variant 2")
    func generation() {
        #expect(Set((0..<100).map { _ in ObjectId.generate() }).count == 100)
        let uuids = (0..<100).map { _ in UUIDValue.generate() }
        #expect(Set(uuids).count == 100)
        for uuid in uuids {
            #expect(uuid.bytes[6] >> 4 == 4)
            #expect(uuid.bytes[8] >> 6 == 2)
        }
    }
}
