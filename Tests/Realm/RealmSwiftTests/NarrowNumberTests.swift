import Foundation
import RealmSwift
import Testing

class NarrowNumbers: Object {
    @Persisted var int8: Int8
    @Persisted var int16: Int16
    @Persisted var int32: Int32
    @Persisted var optional: Int8?
    @Persisted var list: List<Int8>
    @Persisted var optionals: List<Int8?>
    @Persisted var set: MutableSet<Int16>
    @Persisted var map: Map<String, Int32>
    @Persisted var grade: NarrowGrade?
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

enum NarrowGrade: Int8, PersistableEnum { case low = 1, high = 44 }

/// All whole numbers are stored in 64 bits, and clients of a gateway know no other width.
@Suite("Numbers beyond their property's width")
struct NarrowNumberTests {
    private static let numbers: [Int64] = [127, 128, 300, -129, 40_000, 1 << 33, .max, .min]

    @Test("a stored number of any size is read as its lower bits, and never stops the program", arguments: numbers)
    func read(number: Int64) throws {
        let realm = try ParityRealm.open([NarrowNumbers.self])
        let object = try realm.write {
            realm.create(
                NarrowNumbers.self,
                value: [
                    "int8": number, "int16": number, "int32": number, "optional": number, "list": [number],
                    "optionals": [number, nil], "set": [number], "map": ["a": number], "grade": number,
                ] as [String: Any])
        }
        let narrow = Int8(truncatingIfNeeded: number)
        for object in [object, object.freeze()] {
            #expect(object.int8 == narrow && object.optional == narrow)
            #expect(object.int16 == Int16(truncatingIfNeeded: number))
            #expect(object.int32 == Int32(truncatingIfNeeded: number))
            #expect(Array(object.list) == [narrow] && Array(object.optionals) == [narrow, nil])
            #expect(Array(object.set) == [Int16(truncatingIfNeeded: number)])
            #expect(object.map["a"] == Int32(truncatingIfNeeded: number))
            // 300 is not a case, although its lower bits are those of 44.
            #expect(object.grade == nil)
            #expect(object.description.contains("int8 = ") && object["int8"] != nil)
        }
        #expect(realm.objects(NarrowNumbers.self).max(of: \.int8) != nil)
        #expect(realm.objects(NarrowNumbers.self).sectioned(by: \.int8).allKeys == [narrow])
        #expect(realm.objects(NarrowNumbers.self).filter("int8 == %@", number).count == 1)
    }

    @Test("a number that is assigned by name must fit, on an unmanaged object, too", arguments: numbers.dropFirst())
    func assigned(number: Int64) async {
        let refused = await exception { NarrowNumbers()["int8"] = number }
        #expect(refused?.hasPrefix("Invalid value '\(number)'") == true)
    }
}
