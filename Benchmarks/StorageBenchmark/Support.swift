import Dispatch
import EmbeddedStore
import Glibc
import ObjectModel
import StoreContract
import StoreTesting
import TestBasics

/// A directory on a real disk that goes away with the program.
struct ScratchDirectory {
    let path: String

    init() throws {
        var template = Array("/var/tmp/realmgate-benchmark-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { fatalError("No temporary directory can be made.") }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    func remove() {
        for name in ["store", "store-lock", "copy", "copy-lock"] { unlink("\(path)/\(name)") }
        rmdir(path)
    }

    /// A new store in place of the last one.
    func newStore(_ classes: [ClassSchema]) throws -> EmbeddedStore {
        for name in ["store", "store-lock"] { unlink("\(path)/\(name)") }
        return try EmbeddedStore.open(path: "\(path)/store", schema: Schema(version: 1, classes: classes))
    }

    /// The bytes of a compacted copy.
    func compactedSize(_ store: EmbeddedStore) throws -> Int {
        unlink("\(path)/copy")
        try store.writeCopy(to: "\(path)/copy")
        var status = stat()
        stat("\(path)/copy", &status)
        unlink("\(path)/copy")
        return Int(status.st_size)
    }
}

/// The row of the design's limits table: id, name, age 0..19, weight, adopted, breed of 50.
enum Item {
    static let schema = ClassSchema(
        "Item", primaryKey: "id",
        properties: [
            PropertySchema("id", PropertyType(.int)), PropertySchema("name", PropertyType(.string)),
            PropertySchema("age", PropertyType(.int)), PropertySchema("weight", PropertyType(.double)),
            PropertySchema("adopted", PropertyType(.bool)), PropertySchema("breed", PropertyType(.string)),
        ])
    static let classID = ClassID(1)
    static let age = PropertyID(3)

    static func row(_ id: Int) -> [Value] {
        var numbers = SeededRandom(seed: UInt64(id))
        let random = numbers.next()
        return [
            .int(Int64(id)), .string("item\(random % 1_000_000)"), .int(Int64(random % 20)),
            .double(Double(random % 100_000) / 1000), .bool(random & 4 == 0), .string("breed\(random % 50)"),
        ]
    }
}

func seconds(_ body: () throws -> Void) rethrows -> Double {
    let start = DispatchTime.now().uptimeNanoseconds
    try body()
    return Double(DispatchTime.now().uptimeNanoseconds - start) / 1e9
}

func rounded(_ value: Double, _ digits: Int = 2) -> String {
    let factor = [1.0, 10, 100, 1000][digits]
    return String((value * factor).rounded() / factor)
}
