import Cryptography
package import RealmFiles

extension RealmFile {
    /// Opens the file at a path, which may be encrypted; see `init(path:)`.
    ///
    /// - Parameter key: the 64 bytes that the file was encrypted with. A file that is not encrypted needs none.
    package convenience init(path: String, key: [UInt8]?) throws(RealmFileError) {
        try self.init(path: path, key: key.map { RealmFileKey($0) })
    }

    /// Opens a file that is open already, is this process's own, and may be encrypted; see `init(ownDescriptor:)`.
    package convenience init(ownDescriptor descriptor: Int32, key: [UInt8]?) throws(RealmFileError) {
        try self.init(ownDescriptor: descriptor, key: key.map { RealmFileKey($0) })
    }
}

extension RealmFileKey {
    /// - Parameter bytes: 64, or they open nothing.
    package init(_ bytes: [UInt8]) {
        self.init(bytes) { LibraryCipher(key: bytes) }
    }
}

/// AES-256-CBC and HMAC-SHA224, as Realm uses them.
private final class LibraryCipher: PageCipher {
    private var cipher: AES256CBC
    private var codes: HMACSHA224

    init?(key: [UInt8]) {
        guard key.count == RealmFile.keyLength, let cipher = AES256CBC(key: Array(key[..<AES256CBC.keyLength])) else {
            return nil
        }
        self.cipher = cipher
        codes = HMACSHA224(key: Array(key[AES256CBC.keyLength...]))
    }

    func code(of page: UnsafeRawBufferPointer) -> [UInt8] { codes.code(of: page) }

    func areEqual(_ code: [UInt8], _ other: [UInt8]) -> Bool { ConstantTime.areEqual(code, other) }

    func decrypt(_ page: UnsafeMutableRawBufferPointer, vector: [UInt8]) -> Bool {
        cipher.decrypt(page, vector: vector)
    }
}
