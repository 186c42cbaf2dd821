import Foundation
import RepositoryFiles
import Synchronization
import Testing

@testable import RealmFiles

@Suite("Files that others write")
struct FileInUseTests {
    private func write(_ bytes: [UInt8], at offset: Int, of path: String) throws {
        let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        try handle.seek(toOffset: UInt64(offset))
        try handle.write(contentsOf: bytes)
        try handle.close()
    }

    private func copy(_ name: String, _ directory: TestDirectory) throws -> (path: String, bytes: [UInt8]) {
        let bytes = try RealmFixture(name: name).bytes()
        let path = directory.file("\(name).realm")
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        return (path, bytes)
    }

    @Test("a change of the header or of the snapshot's number is noticed, and what is read stays")
    func changes() throws {
        let directory = try TestDirectory()
        let (path, bytes) = try copy("owners", directory)
        let top = Int(try FileHeader(FileImage(bytes)).top)
        for offset in [0, 8, 23, top + 8, top + 8 + 7] {
            let file = try RealmFile(path: path)
            try file.checkUnchanged()
            try write([bytes[offset] ^ 2], at: offset, of: path)
            #expect(throws: RealmFileError.inUse) { try file.checkUnchanged() }
            #expect(try CorePrinter.document(file) == RealmFixture(name: "owners").document())
            try write([bytes[offset]], at: offset, of: path)
            try file.checkUnchanged()
        }
    }

    @Test("a file that is cut off, replaced or removed after it was opened is read all the same")
    func cutOff() throws {
        let directory = try TestDirectory()
        let (path, _) = try copy("owners", directory)
        let file = try RealmFile(path: path)
        #expect(truncate(path, 0) == 0)
        #expect(try CorePrinter.document(file) == RealmFixture(name: "owners").document())
        #expect(throws: RealmFileError.inUse) { try file.checkUnchanged() }
        #expect(unlink(path) == 0)
        #expect(try CorePrinter.document(file) == RealmFixture(name: "owners").document())
    }

    @Test("while another program writes the header and cuts the file, there is a whole copy or a fault")
    func race() throws {
        let directory = try TestDirectory()
        let (path, bytes) = try copy("owners", directory)
        let isOver = Mutex(false)
        let finished = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            var round: UInt8 = 0
            while !isOver.withLock({ $0 }) {
                round &+= 1
                // Byte 22 means nothing, so that each header is a valid one.
                try? write([round], at: 22, of: path)
                if round % 16 == 0 {
                    truncate(path, 4096)
                    try? write(bytes, at: 0, of: path)
                }
            }
            finished.signal()
        }
        for _ in 0..<200 {
            do {
                let file = try RealmFile(path: path)
                // It may have been cut off, and have a header that stayed the same.
                _ = try? CorePrinter.document(file)
            } catch {
                switch error {
                case .inUse, .damaged: break
                default: Issue.record("\(error)")
                }
            }
        }
        isOver.withLock { $0 = true }
        finished.wait()
    }
}
