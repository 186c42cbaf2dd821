import CGnuTLS
import Foundation
import RealmFileKeys
import RepositoryFiles
import Testing

@testable import RealmFiles

@Suite("Encrypted files")
struct EncryptedFileTests {
    private static let key = RealmFixture.key

    private func write(_ bytes: [UInt8], _ directory: TestDirectory) throws -> String {
        let path = directory.file("encrypted.realm")
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        return path
    }

    private func secret(_ file: RealmFile) throws -> [String] {
        var texts: [String] = []
        for table in file.tables where table.className == "Secret" {
            try file.forEachObject(of: table) { texts += $0.values.map(ValueText.of) }
        }
        return texts
    }

    @Test("are read with their key")
    func read() throws {
        let directory = try TestDirectory()
        let file = try RealmFile(path: try write(try RealmFixture.encrypted.bytes(), directory), key: Self.key)
        #expect(file.format == 24 && file.version == 2)
        #expect(try secret(file) == ["'x'"])
        try file.checkUnchanged()
    }

    @Test("a write of another program is noticed")
    func changed() throws {
        let directory = try TestDirectory()
        var bytes = try RealmFixture.encrypted.bytes()
        let path = try write(bytes, directory)
        let file = try RealmFile(path: path, key: Self.key)
        for offset in [0, 10, 4096 + 16] {
            for changed in [true, false] {
                bytes[offset] ^= 1
                let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
                try handle.write(contentsOf: bytes)
                try handle.close()
                if changed {
                    #expect(throws: RealmFileError.inUse) { try file.checkUnchanged() }
                } else {
                    try file.checkUnchanged()
                }
            }
        }
        #expect(try secret(file) == ["'x'"])
    }

    @Test("are refused without a key, with another, and with one of another length")
    func keys() throws {
        let directory = try TestDirectory()
        let path = try write(try RealmFixture.encrypted.bytes(), directory)
        #expect(throws: RealmFileError.notRealm(mayBeEncrypted: true)) { try RealmFile(path: path) }
        for offset in [0, 31, 32, 63] {
            var other = Self.key
            other[offset] ^= 1
            // The first half is for the cipher and the other for the codes of pages.
            #expect(throws: RealmFileError.wrongKey(length: 64)) { try RealmFile(path: path, key: other) }
        }
        for length in [0, 32, 63, 65] {
            #expect(throws: RealmFileError.wrongKey(length: length)) {
                try RealmFile(path: path, key: [UInt8](repeating: 1, count: length))
            }
        }
    }

    @Test("a plain file is read whatever the key")
    func plain() throws {
        let directory = try TestDirectory()
        let path = try write(try RealmFixture(name: "empty").bytes(), directory)
        #expect(try RealmFile(path: path, key: Self.key).tables.count == 2)
    }

    @Test("a page of the write before the latest is read by the other entry")
    func recovery() throws {
        let directory = try TestDirectory()
        var bytes = try RealmFixture.encrypted.bytes()
        // The writer entered a new write of the page, and died before the page was written.
        bytes.replaceSubrange(32..<64, with: bytes[0..<32])
        bytes.replaceSubrange(0..<32, with: [9, 0, 0, 0] + [UInt8](repeating: 5, count: 28))
        #expect(try secret(RealmFile(path: try write(bytes, directory), key: Self.key)) == ["'x'"])
    }

    @Test("a page whose bytes changed is refused")
    func damage() throws {
        let directory = try TestDirectory()
        var bytes = try RealmFixture.encrypted.bytes()
        bytes[5000] ^= 1
        let path = try write(bytes, directory)
        #expect(throws: RealmFileError.wrongKey(length: 64)) { try RealmFile(path: path, key: Self.key) }
        var many = Encryption.encrypt(try RealmFixture(name: "owners").bytes(), Self.key)
        many[3 * 4096 + 7] ^= 1
        let other = try write(many, directory)
        #expect(throws: RealmFileError.damaged(location: "page 2", reason: "its code is not that of its bytes")) {
            try RealmFile(path: other, key: Self.key)
        }
    }

    @Test("of many blocks of pages have what the plain file has", arguments: ["owners", "many"])
    func blocks(name: String) throws {
        let directory = try TestDirectory()
        let plain = try RealmFixture(name: name).bytes()
        let path = try write(Encryption.encrypt(plain, Self.key), directory)
        let file = try RealmFile(path: path, key: Self.key)
        #expect(try CorePrinter.document(file) == CorePrinter.document(RealmFile(bytes: plain)))
    }

    @Test("pages that were never written are zeros")
    func unwritten() throws {
        let directory = try TestDirectory()
        var plain = try RealmFixture(name: "owners").bytes()
        plain += [UInt8](repeating: 0, count: 4096)
        var bytes = Encryption.encrypt(plain, Self.key)
        let last = plain.count / 4096 - 1
        bytes.replaceSubrange(last * 64..<last * 64 + 64, with: [UInt8](repeating: 0, count: 64))
        bytes.replaceSubrange((last + 1) * 4096..<(last + 2) * 4096, with: [UInt8](repeating: 6, count: 4096))
        let file = try RealmFile(path: try write(bytes, directory), key: Self.key)
        #expect(try CorePrinter.document(file) == RealmFixture(name: "owners").document())
    }

    @Test("the pages of a file of any length are those that are whole")
    func lengths() {
        for pages in 0...200 {
            let tables = (0..<pages).count { $0 % 65 == 0 }
            #expect(PageDecryption.plainLength(of: pages * 4096 + 17) == (pages - tables) * 4096)
        }
    }
}

/// Encrypts as Realm does, with one write of each page.
private enum Encryption {
    static func encrypt(_ plain: [UInt8], _ key: [UInt8]) -> [UInt8] {
        let pages = plain.count / 4096
        var bytes: [UInt8] = []
        for first in stride(from: 0, to: pages, by: 64) {
            var table = [UInt8](repeating: 0, count: 4096)
            var content: [UInt8] = []
            for page in first..<min(pages, first + 64) {
                let number: [UInt8] = [UInt8(truncatingIfNeeded: page) | 1, 2, 0, 0]
                let position = (0..<8).map { UInt8(truncatingIfNeeded: (page * 4096) >> (8 * $0)) }
                let data = cipher(Array(plain[page * 4096..<(page + 1) * 4096]), key, number + position + [0, 0, 0, 0])
                let offset = page % 64 * 64
                table.replaceSubrange(offset..<offset + 32, with: number + code(data, key))
                content += data
            }
            bytes += table + content
        }
        return bytes
    }

    private static func cipher(_ bytes: [UInt8], _ key: [UInt8], _ vector: [UInt8]) -> [UInt8] {
        var bytes = bytes
        var handle: gnutls_cipher_hd_t?
        var cipherKey = Array(key[..<32])
        var vector = vector
        cipherKey.withUnsafeMutableBufferPointer { key in
            vector.withUnsafeMutableBufferPointer { vector in
                var keyDatum = gnutls_datum_t(data: key.baseAddress, size: UInt32(key.count))
                var vectorDatum = gnutls_datum_t(data: vector.baseAddress, size: UInt32(vector.count))
                gnutls_cipher_init(&handle, GNUTLS_CIPHER_AES_256_CBC, &keyDatum, &vectorDatum)
            }
        }
        _ = bytes.withUnsafeMutableBytes {
            gnutls_cipher_encrypt2(handle, $0.baseAddress, $0.count, $0.baseAddress, $0.count)
        }
        gnutls_cipher_deinit(handle)
        return bytes
    }

    private static func code(_ bytes: [UInt8], _ key: [UInt8]) -> [UInt8] {
        var code = [UInt8](repeating: 0, count: 28)
        gnutls_hmac_fast(GNUTLS_MAC_SHA224, Array(key[32...]), 32, bytes, bytes.count, &code)
        return code
    }
}
