import Foundation
import RealmSwift
import Testing

/// A text that is not empty.
struct FailableCode: FailableCustomPersistable, Hashable {
    let persistableValue: String
    init?(persistedValue: String) {
        guard !persistedValue.isEmpty else { return nil }
        persistableValue = persistedValue
    }
}

/// A number that is odd and greater than three.
struct FailableOdd: FailableCustomPersistable, Hashable {
    let persistableValue: Int
    init?(persistedValue: Int) {
        guard persistedValue > 3, persistedValue % 2 == 1 else { return nil }
        persistableValue = persistedValue
    }
}

class FailableHolder: Object {
    @Persisted var code: FailableCode
    @Persisted var odd: FailableOdd
    @Persisted var codes: List<FailableCode>
    @Persisted var byName: Map<String, FailableOdd>
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

@Suite("Types without a value for the zero of what they are stored as")
struct FailableTypeTests {
    private static func rows() throws -> Results<FailableHolder> {
        let realm = try ParityRealm.open([FailableHolder.self])
        try realm.write {
            for (code, odd) in [("b", 5), ("a", 9), ("c", 7)] {
                realm.create(
                    FailableHolder.self,
                    value: ["code": code, "odd": odd, "codes": [code, "z"], "byName": ["k": odd]] as [String: Any])
            }
        }
        return realm.objects(FailableHolder.self)
    }

    @Test("key paths lead to properties of such types without a default")
    func keyPaths() throws {
        let rows = try Self.rows()
        let code = try #require(FailableCode(persistedValue: "a"))
        let odd = try #require(FailableOdd(persistedValue: 9))
        #expect(rows.where { $0.code == code }.count == 1)
        #expect(rows.where { $0.code != code }.count == 2)
        #expect(rows.where { $0.code.in([code]) && $0.odd == odd }.count == 1)
        #expect(rows.where { $0.odd.persistableValue > 5 }.count == 2)
        #expect(rows.where { $0.code.persistableValue.starts(with: "c") }.count == 1)
        #expect(rows.where { $0.codes.contains(code) }.count == 1)
        #expect(rows.where { $0.byName["k"] == odd }.count == 1)
        #expect(_name(for: \FailableHolder.odd) == "odd")
        #expect(Array(rows.sorted(by: \.code).map(\.code.persistableValue)) == ["a", "b", "c"])
        #expect(rows.sectioned(by: \.odd).allKeys.map(\.persistableValue) == [5, 7, 9])
        #expect(rows.distinct(by: [\.code]).count == 3)
    }

    @Test("a new object needs values for them, and so does a property that is read")
    func missing() async {
        let reason = "Failed to default construct a FailableCode using the default value for persisted type String."
        #expect(await exception { _ = FailableHolder().code }?.hasPrefix(reason) == true)
        #expect(
            await exception {
                let realm = try ParityRealm.open([FailableHolder.self])
                try realm.write { _ = realm.create(FailableHolder.self, value: ["odd": 5]) }
            }?.hasPrefix(reason) == true)
    }
}
