import Foundation
import RealmSwift
import Testing

/// The module must not make the program's own use of standard types ambiguous: this file is the test, by being compiled.
@Suite("Standard types beside the module")
struct StandardTypeTests {
    @Test("initialisers without arguments, by the type's name and by .init, mean what they mean without the module")
    func emptyInitialisers() {
        #expect(Int() == 0 && Int8() == 0 && Int16() == 0 && Int32() == 0 && Int64() == 0)
        #expect(UInt() == 0 && Float() == 0 && Double() == 0 && !Bool() && String().isEmpty && Data().isEmpty)
        #expect(Decimal128() == 0 && Date() <= Date() && UUID() != UUID() && Set<Int>().isEmpty)
        let (a, b, c, d): (Int, Int8, Int64, Double) = (.init(), .init(), .init(), .init())
        let (e, f, g, h): (Float, Bool, String, Data) = (.init(), .init(), .init(), .init())
        #expect(a == 0 && b == 0 && c == 0 && d == 0 && e == 0 && !f && g.isEmpty && h.isEmpty)
        let (i, j): ([Int], [String: Int]) = (.init(), .init())
        #expect(i.isEmpty && j.isEmpty)
        func made<T: FixedWidthInteger>(_: T.Type) -> T { T() }
        #expect(made(Int.self) == 0 && made(Int16.self) == 0)
    }

    @Test("initialisers with arguments of all stored types")
    func initialisers() throws {
        #expect(Int(7) == 7 && Int("7") == 7 && Int("x") == nil && Int(7.9) == 7 && Int(exactly: 7.5) == nil)
        #expect(
            Int(truncatingIfNeeded: 300) == 300 && Int8(truncatingIfNeeded: 300) == 44 && Int(clamping: UInt.max) > 0)
        #expect(Int("ff", radix: 16) == 255 && Int(bitPattern: UInt(3)) == 3 && Int8(exactly: 300) == nil)
        #expect(Float(1.5) == 1.5 && Float("1.5") == 1.5 && Double(3) == 3 && Double("x") == nil)
        #expect(Double(exactly: Int.max) == nil && Float(sign: .minus, exponent: 0, significand: 1) == -1)
        #expect(Bool("true") == true && Bool(true) && Bool("x") == nil)
        #expect(String(5) == "5" && String("a") == "a" && String(repeating: "a", count: 2) == "aa")
        #expect(
            String(["a", "b"] as [Character]) == "ab" && String(describing: 5) == "5" && String(255, radix: 16) == "ff")
        #expect(String(decoding: [97], as: UTF8.self) == "a" && String(data: Data([97]), encoding: .utf8) == "a")
        #expect(Data([1, 2]).count == 2 && Data(count: 3).count == 3 && Data(repeating: 1, count: 2) == Data([1, 1]))
        #expect(Data("a".utf8) == Data([97]) && Data(base64Encoded: "YQ==") == Data([97]))
        #expect(Date(timeIntervalSince1970: 0) < Date(timeIntervalSinceNow: 0))
        #expect(UUID(uuidString: "x") == nil && UUID(uuid: UUID().uuid) != UUID())
        #expect(Optional(5) == 5 && Optional<Int>(nil) == nil && Optional<Int>.none == nil && .some(5) == Optional(5))
        #expect(NSNumber(value: 5).intValue == 5 && (5 as NSNumber) == 5)
        #expect(try ObjectId(string: ObjectId.generate().stringValue).stringValue.count == 24)
        #expect(IndexPath(indexes: [1, 2]).count == 2)
    }

    @Test("sums, minima, sorts and comparisons of plain arrays")
    func operations() {
        let numbers = [3, 1, 2]
        #expect(numbers.reduce(0, +) == 6 && numbers.min() == 1 && numbers.max() == 3 && numbers.sorted() == [1, 2, 3])
        #expect(numbers.contains(2) && numbers.firstIndex(of: 2) == 2 && numbers.filter { $0 > 1 }.count == 2)
        #expect((1...3).contains(2) && ("a"..<"c").contains("b") && "abc".contains("b") && "a" < "b")
        #expect(["a": 1].merging(["a": 2]) { $1 } == ["a": 2] && [1: "x"].keys.first == 1)
    }
}
