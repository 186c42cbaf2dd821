/// Reads the pages of an encrypted file.
///
/// An encrypted file is a sequence of blocks of 65 pages: a table and 64 pages of data. The table has 64 bytes for each
/// page: the number and the authentication code of its latest write and of the write before.
struct PageDecryption {
    static let pageLength = 4096
    static let pagesPerBlock = 64
    private static let entryLength = 64
    private static let numberLength = 4

    private let cipher: any PageCipher

    /// Whether an encrypted file can have this length.
    static func mayBeEncrypted(length: Int) -> Bool { length >= 2 * pageLength && length % pageLength == 0 }

    /// The length of the plain file within an encrypted one. An incomplete page does not count.
    static func plainLength(of length: Int) -> Int {
        let pages = length / pageLength
        let tables = (pages + pagesPerBlock) / (pagesPerBlock + 1)
        return (pages - tables) * pageLength
    }

    /// The offset of a page in the encrypted file.
    static func offset(of page: Int) -> Int { (page + page / pagesPerBlock + 1) * pageLength }

    /// The offset of the table that has a page's entry.
    static func tableOffset(of page: Int) -> Int { page / pagesPerBlock * (pagesPerBlock + 1) * pageLength }

    init(key: RealmFileKey) throws(RealmFileError) {
        guard key.bytes.count == RealmFile.keyLength, let cipher = key.cipher() else {
            throw .wrongKey(length: key.bytes.count)
        }
        self.cipher = cipher
    }

    /// Decrypts a page in place, with the table of its block.
    func decrypt(
        _ data: UnsafeMutableRawBufferPointer, page: Int, table: [UInt8]
    ) throws(RealmFileError) {
        let code = cipher.code(of: UnsafeRawBufferPointer(data))
        let entry = page % Self.pagesPerBlock * Self.entryLength
        // A writer that ends between writing the table and the page leaves the page of the previous write.
        for write in 0..<2 {
            let start = entry + write * Self.entryLength / 2
            let number = Array(table[start..<start + Self.numberLength])
            guard number != [0, 0, 0, 0],
                cipher.areEqual(code, Array(table[start + Self.numberLength..<start + Self.entryLength / 2]))
            else { continue }
            let position = UInt64(page) * UInt64(Self.pageLength)
            let vector = number + (0..<8).map { UInt8(truncatingIfNeeded: position >> (8 * $0)) } + [0, 0, 0, 0]
            if cipher.decrypt(data, vector: vector) { return }
        }
        // Realm reserves space for pages before it writes them. The first page always exists.
        let isUnwritten = table[entry..<entry + Self.numberLength].allSatisfy { $0 == 0 } || data.allSatisfy { $0 == 0 }
        guard page > 0 else { throw .wrongKey(length: RealmFile.keyLength) }
        guard isUnwritten else {
            throw .damaged(location: "page \(page)", reason: "its code is not that of its bytes")
        }
        data.initializeMemory(as: UInt8.self, repeating: 0)
    }
}

/// The key of an encrypted file, and the functions that use it. This module does not depend on a cryptographic library,
/// so that an app that reads only plain files needs none; `RealmFileKeys` does.
package struct RealmFileKey: Sendable {
    /// 64 bytes; any other number is not a key.
    package let bytes: [UInt8]
    /// Nil where the library does not know the algorithm.
    let cipher: @Sendable () -> (any PageCipher)?

    package init(_ bytes: [UInt8], cipher: @escaping @Sendable () -> (any PageCipher)?) {
        self.bytes = bytes
        self.cipher = cipher
    }
}

/// Checks and decrypts pages of an encrypted file. One thread uses it.
package protocol PageCipher: AnyObject {
    /// The authentication code of a page, by the second half of the key.
    func code(of page: UnsafeRawBufferPointer) -> [UInt8]
    /// Compares codes in a time that does not depend on their bytes.
    func areEqual(_ code: [UInt8], _ other: [UInt8]) -> Bool
    /// Decrypts a page in place, by the first half of the key. Returns false if that failed.
    func decrypt(_ page: UnsafeMutableRawBufferPointer, vector: [UInt8]) -> Bool
}
