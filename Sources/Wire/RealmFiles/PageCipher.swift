/// The key of an encrypted file, with what uses it. A cryptographic library is none of this module's dependencies, so that
/// an app that reads plain files alone needs none; `RealmFileKeys` has one.
package struct RealmFileKey: Sendable {
    /// 64 bytes, or no key.
    let bytes: [UInt8]
    /// Nil where the library does not know the algorithm.
    let cipher: @Sendable () -> (any PageCipher)?

    package init(_ bytes: [UInt8], cipher: @escaping @Sendable () -> (any PageCipher)?) {
        self.bytes = bytes
        self.cipher = cipher
    }
}

/// What pages of an encrypted file are checked and decrypted with. One thread uses it.
package protocol PageCipher: AnyObject {
    /// The code of a page, by the second half of the key.
    func code(of page: UnsafeRawBufferPointer) -> [UInt8]
    /// Compares codes in a time that does not depend on their bytes.
    func areEqual(_ code: [UInt8], _ other: [UInt8]) -> Bool
    /// Decrypts a page where it is, by the first half of the key. Returns false if that failed.
    func decrypt(_ page: UnsafeMutableRawBufferPointer, vector: [UInt8]) -> Bool
}
