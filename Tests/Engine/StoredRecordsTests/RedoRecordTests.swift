import Columnar
import ObjectModel
@testable import StoredRecords
import StoreTesting
import Testing

@Suite("Entries of a log")
struct RedoRecordTests {
    @Test("entries of pins are read as they were written, and damaged ones are refused")
    func encoding() throws {
        for step in [RedoStep.pinned(id: [1, 2, 3], note: Array("note".utf8)), .unpinned(id: [])] {
            let record = RedoRecord(kind: .work, base: .another(), checksum: 7, steps: [step])
            #expect(try RedoRecord.decode(record.encoded) == record)
            for length in 0..<record.encoded.count {
                #expect(throws: DamagedRecord.self) { try RedoRecord.decode(Array(record.encoded.prefix(length))) }
            }
        }
    }
}
