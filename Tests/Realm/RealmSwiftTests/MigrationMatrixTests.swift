import Foundation
import RealmSwift
import Testing

// The original class, and each change of it.

enum MatrixBase {
    class MatrixThing: Object {
        @Persisted var id: Int
        @Persisted var number: Int
        @Persisted var text: String?
        @Persisted var link: MatrixOther?
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }

    class MatrixOther: Object {
        @Persisted var x: Int
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }

    class MatrixNew: Object {
        @Persisted var x: Int
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }
}

enum MatrixIndexed {
    class MatrixThing: Object {
        @Persisted(indexed: true) var id: Int
        @Persisted var number: Int
        @Persisted var text: String?
        @Persisted var link: MatrixBase.MatrixOther?
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }
}

enum MatrixAdded {
    class MatrixThing: Object {
        @Persisted var id: Int
        @Persisted var number: Int
        @Persisted var text: String?
        @Persisted var link: MatrixBase.MatrixOther?
        @Persisted var added = 5
        @Persisted var when: Date
        @Persisted var maybe: String? = "no"
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }
}

enum MatrixRemoved {
    class MatrixThing: Object {
        @Persisted var id: Int
        @Persisted var number: Int
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }
}

enum MatrixRetyped {
    class MatrixThing: Object {
        @Persisted var id: Int
        @Persisted var number: String
        @Persisted var text: String?
        @Persisted var link: MatrixBase.MatrixNew?
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }
}

enum MatrixOptional {
    class MatrixThing: Object {
        @Persisted var id: Int
        @Persisted var number: Int?
        @Persisted var text: String?
        @Persisted var link: MatrixBase.MatrixOther?
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }
}

enum MatrixRequired {
    class MatrixThing: Object {
        @Persisted var id: Int
        @Persisted var number: Int
        @Persisted var text: String
        @Persisted var link: MatrixBase.MatrixOther?
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }
}

enum MatrixKeyed {
    class MatrixThing: Object {
        @Persisted(primaryKey: true) var id: Int
        @Persisted var number: Int
        @Persisted var text: String?
        @Persisted var link: MatrixBase.MatrixOther?
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }
}

enum MatrixEmbedded {
    class MatrixThing: Object {
        @Persisted var id: Int
        @Persisted var number: Int
        @Persisted var text: String?
        @Persisted var link: MatrixOther?
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }

    class MatrixOther: EmbeddedObject {
        @Persisted var x: Int
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }
}

enum MatrixRenamed {
    class MatrixThing: Object {
        @Persisted var id: Int
        @Persisted var count: Int
        @Persisted var text: String?
        @Persisted var link: MatrixBase.MatrixOther?
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
        override class func propertiesMapping() -> [String: String] { ["count": "number"] }
    }
}

/// A change of the schema.
struct MatrixChange: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let types: [ObjectBase.Type]
    /// The errors without a higher version; none if the change needs no migration.
    var faults: [String] = []
    /// Checks the two objects afterwards.
    let check: @Sendable (Realm) -> Bool

    static func thing<T: Object>(_: T.Type, _ realm: Realm, _ key: String) -> [String] {
        realm.objects(T.self).map { $0[key].map { "\($0)" } ?? "nil" }
    }
}

@Suite("Migrations, change by change")
struct MigrationMatrixTests {
    static let changes: [MatrixChange] = [
        MatrixChange(
            testDescription: "class added",
            types: [MatrixBase.MatrixThing.self, MatrixBase.MatrixOther.self, MatrixBase.MatrixNew.self]
        ) { $0.objects(MatrixBase.MatrixNew.self).isEmpty && $0.objects(MatrixBase.MatrixThing.self).count == 2 },
        MatrixChange(testDescription: "class gone", types: [MatrixBase.MatrixOther.self]) {
            $0.objects(MatrixBase.MatrixOther.self).count == 1 && $0.schema["MatrixThing"] == nil
        },
        MatrixChange(
            testDescription: "index added", types: [MatrixIndexed.MatrixThing.self, MatrixBase.MatrixOther.self]
        ) {
            MatrixChange.thing(MatrixIndexed.MatrixThing.self, $0, "id") == ["1", "2"]
        },
        MatrixChange(
            testDescription: "name mapped", types: [MatrixRenamed.MatrixThing.self, MatrixBase.MatrixOther.self]
        ) {
            MatrixChange.thing(MatrixRenamed.MatrixThing.self, $0, "count") == ["10", "20"]
        },
        MatrixChange(
            testDescription: "properties added", types: [MatrixAdded.MatrixThing.self, MatrixBase.MatrixOther.self],
            faults: [
                "- Property 'MatrixThing.added' has been added.", "- Property 'MatrixThing.when' has been added.",
                "- Property 'MatrixThing.maybe' has been added.",
            ]
        ) {
            let objects = $0.objects(MatrixAdded.MatrixThing.self)
            return objects.allSatisfy { $0.added == 0 && $0.when.timeIntervalSince1970 == 0 && $0.maybe == nil }
                && objects.map(\.number) == [10, 20] && objects[0].link?.x == 7
        },
        MatrixChange(
            testDescription: "properties removed",
            types: [MatrixRemoved.MatrixThing.self, MatrixBase.MatrixOther.self],
            faults: [
                "- Property 'MatrixThing.text' has been removed.", "- Property 'MatrixThing.link' has been removed.",
            ]
        ) { MatrixChange.thing(MatrixRemoved.MatrixThing.self, $0, "number") == ["10", "20"] },
        MatrixChange(
            testDescription: "type and link target changed",
            types: [MatrixRetyped.MatrixThing.self, MatrixBase.MatrixOther.self, MatrixBase.MatrixNew.self],
            faults: [
                "- Property 'MatrixThing.number' has been changed from 'int' to 'string'.",
                "- Property 'MatrixThing.link' has been changed from 'MatrixOther?' to 'MatrixNew?'.",
            ]
        ) {
            MatrixChange.thing(MatrixRetyped.MatrixThing.self, $0, "number") == ["", ""]
                && MatrixChange.thing(MatrixRetyped.MatrixThing.self, $0, "link") == ["nil", "nil"]
        },
        MatrixChange(
            testDescription: "made optional", types: [MatrixOptional.MatrixThing.self, MatrixBase.MatrixOther.self],
            faults: ["- Property 'MatrixThing.number' has been made optional."]
        ) { MatrixChange.thing(MatrixOptional.MatrixThing.self, $0, "number") == ["10", "20"] },
        MatrixChange(
            testDescription: "made required", types: [MatrixRequired.MatrixThing.self, MatrixBase.MatrixOther.self],
            faults: ["- Property 'MatrixThing.text' has been made required."]
        ) { MatrixChange.thing(MatrixRequired.MatrixThing.self, $0, "text") == ["", ""] },
        MatrixChange(
            testDescription: "primary key added", types: [MatrixKeyed.MatrixThing.self, MatrixBase.MatrixOther.self],
            faults: ["- Primary Key for class 'MatrixThing' has been added."]
        ) { $0.object(ofType: MatrixKeyed.MatrixThing.self, forPrimaryKey: 2)?.number == 20 },
        MatrixChange(
            testDescription: "made embedded",
            types: [MatrixEmbedded.MatrixThing.self, MatrixEmbedded.MatrixOther.self],
            faults: ["- Class 'MatrixOther' has been changed from top-level to embedded."]
        ) { $0.objects(MatrixEmbedded.MatrixThing.self).first?.link?.x == 7 },
    ]

    private let file = VersionedFile()

    private func fill() throws {
        let realm = try file.open([MatrixBase.MatrixThing.self, MatrixBase.MatrixOther.self])
        try realm.write {
            realm.create(
                MatrixBase.MatrixThing.self, value: ["id": 1, "number": 10, "text": "a", "link": ["x": 7]])
            realm.create(MatrixBase.MatrixThing.self, value: ["id": 2, "number": 20])
        }
    }

    @Test("each change needs a higher version or not, and what becomes of the data", arguments: changes)
    func change(_ change: MatrixChange) throws {
        try fill()
        if change.faults.isEmpty {
            #expect(change.check(try file.open(change.types)))
        } else {
            do {
                _ = try file.open(change.types)
                Issue.record("opened")
            } catch let error as Realm.Error {
                #expect(error.code == .schemaMismatch)
                #expect(error.message.hasPrefix("Migration is required due to the following errors:"))
                for fault in change.faults { #expect(error.message.contains(fault), "\(error.message)") }
            }
        }
        #expect(change.check(try file.open(change.types, version: 1)))
    }

    @Test("duplicates of a new primary key are refused, and everything stays as it was")
    func duplicates() throws {
        try fill()
        do {
            _ = try file.open([MatrixKeyed.MatrixThing.self, MatrixBase.MatrixOther.self], version: 1) { migration, _ in
                migration.enumerateObjects(ofType: "MatrixThing") { _, new in new?["id"] = 5 }
            }
            Issue.record("opened")
        } catch let error as Realm.Error {
            #expect(
                error.message.contains(
                    "Primary key property 'MatrixThing.id' has duplicate values after migration."), "\(error.message)")
        }
        let realm = try file.open([MatrixBase.MatrixThing.self, MatrixBase.MatrixOther.self])
        #expect(realm.objects(MatrixBase.MatrixThing.self).map(\.id) == [1, 2])
    }

    @Test("a read-only realm has what the file has: missing classes are empty, missing properties a fault")
    func readOnly() throws {
        try fill()
        do {
            let realm = try file.open(
                [MatrixBase.MatrixThing.self, MatrixBase.MatrixOther.self, MatrixBase.MatrixNew.self], isReadOnly: true)
            #expect(
                realm.objects(MatrixBase.MatrixNew.self).isEmpty
                    && realm.objects(MatrixBase.MatrixThing.self).count == 2)
        }
        do {
            _ = try file.open([MatrixAdded.MatrixThing.self, MatrixBase.MatrixOther.self], isReadOnly: true)
            Issue.record("opened")
        } catch let error as Realm.Error {
            #expect(error.code == .fail)
            #expect(error.message.hasPrefix("The following changes cannot be made in read-only schema mode:\n- "))
        }
    }
}
