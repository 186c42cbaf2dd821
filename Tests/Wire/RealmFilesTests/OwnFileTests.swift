import Foundation
import RealmFileKeys
import RepositoryFiles
import Testing

@testable import RealmFiles

/// Files that no other program has, such as uploads.
@Suite("Files of the process's own")
struct OwnFileTests {
    /// A file without a name, which may be written.
    private func opened<R>(
        _ fixture: RealmFixture, _ directory: TestDirectory, _ body: (Int32) throws -> R
    ) throws -> R {
        let path = directory.file("own")
        try Data(try fixture.bytes()).write(to: URL(fileURLWithPath: path))
        let descriptor = open(path, O_RDWR | O_CLOEXEC)
        try #require(descriptor >= 0)
        unlink(path)
        defer { close(descriptor) }
        return try body(descriptor)
    }

    /// Overwrites everything with zeros.
    private func clear(_ descriptor: Int32, _ fixture: RealmFixture) throws {
        let zeros = [UInt8](repeating: 0, count: try fixture.bytes().count)
        try #require(pwrite(descriptor, zeros, zeros.count, 0) == zeros.count)
    }

    @Test("are read where they are, without a copy in memory", arguments: RealmFixture.small)
    func mapped(fixture: RealmFixture) throws {
        try opened(fixture, try TestDirectory()) { descriptor in
            let file = try RealmFile(ownDescriptor: descriptor)
            #expect(try CorePrinter.document(file) == CorePrinter.document(try RealmFile(bytes: try fixture.bytes())))
            try file.checkUnchanged()
            // Nobody does this to such a file; here it shows that there is no other place that could be read.
            try clear(descriptor, fixture)
            #expect(throws: RealmFileError.self) { try CorePrinter.document(file) }
        }
    }

    @Test("are decrypted into memory, with the key alone")
    func encrypted() throws {
        try opened(RealmFixture.encrypted, try TestDirectory()) { descriptor in
            #expect(throws: RealmFileError.notRealm(mayBeEncrypted: true)) {
                try RealmFile(ownDescriptor: descriptor, key: [UInt8]?.none)
            }
            #expect(throws: RealmFileError.wrongKey(length: 64)) {
                try RealmFile(ownDescriptor: descriptor, key: [UInt8](repeating: 1, count: 64))
            }
            #expect(throws: RealmFileError.wrongKey(length: 3)) {
                try RealmFile(ownDescriptor: descriptor, key: [1, 2, 3])
            }
            let file = try RealmFile(ownDescriptor: descriptor, key: RealmFixture.key)
            try clear(descriptor, RealmFixture.encrypted)
            let table = try #require(file.tables.first { $0.className == "Secret" })
            var texts: [String] = []
            try file.forEachObject(of: table) { texts += $0.values.map(ValueText.of) }
            #expect(texts == ["'x'"])
        }
    }

    @Test("that are empty, short or no file of Realm are refused", arguments: [0, 1, 8, 23, 24, 4096])
    func others(length: Int) throws {
        let directory = try TestDirectory()
        let path = directory.file("other")
        try Data(repeating: 0, count: length).write(to: URL(fileURLWithPath: path))
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        try #require(descriptor >= 0)
        defer { close(descriptor) }
        #expect(throws: RealmFileError.notRealm(mayBeEncrypted: false)) {
            try RealmFile(ownDescriptor: descriptor, key: [UInt8]?.none)
        }
    }
}
