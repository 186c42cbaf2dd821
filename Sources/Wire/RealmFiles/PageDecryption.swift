/// Reads the pages of an encrypted file.
///
/// Such a file is a row of blocks of 65 pages: a table, and 64 pages of data. The table has 64 bytes for each of the
/// pages: number and code of its latest write, and of the one before.
struct PageDecryption {
    static let pageLength = 4096
    static let pagesPerBlock = 64
    private static let entryLength = 64
    private static let numberLength = 4

    private let cipher: any PageCipher

    /// Whether an encrypted file can have this length.
    static func mayBeEncrypted(length: Int) -> Bool { length >= 2 * pageLength && length % pageLength == 0 }

    /// The length of the plain file within an encrypted one. A page that is not whole does not count.
    static func plainLength(of length: Int) -> Int {
        let pages = length / pageLength
        let tables = (pages + pagesPerBlock) / (pagesPerBlock + 1)
        return (pages - tables) * pageLength
    }

    /// The offset of a page in the encrypted file.
    static func offset(of page: Int) -> Int { (page + page / pagesPerBlock + 1) * pageLength }

    /// The offset of the table that has a page's entry.
    static func tableOffset(of page: Int) -> Int { page / pagesPerBlock * (pagesPerBlock + 1) * pageLength }

    init(key: RealmFileKey) throws(RealmFileFault) {
        guard key.bytes.count == RealmFile.keyLength, let cipher = key.cipher() else {
            throw .wrongKey(length: key.bytes.count)
        }
        self.cipher = cipher
    }

    /// Decrypts a page where it is. The table is that of the page's block.
    func decrypt(
        _ data: UnsafeMutableRawBufferPointer, page: Int, table: [UInt8]
    ) throws(RealmFileFault) {
        let code = cipher.code(of: UnsafeRawBufferPointer(data))
        let entry = page % Self.pagesPerBlock * Self.entryLength
        // A writer that dies between the table and the page leaves the page of the write before.
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
        // Realm leaves room for pages that it has not written yet. The first one is always there.
        let isUnwritten = table[entry..<entry + Self.numberLength].allSatisfy { $0 == 0 } || data.allSatisfy { $0 == 0 }
        guard page > 0 else { throw .wrongKey(length: RealmFile.keyLength) }
        guard isUnwritten else {
            throw .damaged(location: "page \(page)", reason: "its code is not that of its bytes")
        }
        data.initializeMemory(as: UInt8.self, repeating: 0)
    }
}

/// The key of an encrypted file, with what uses it. A cryptographic library is none of this module's dependencies, so that
/// an app that reads plain files alone needs none; `RealmFileKeys` has one.
package struct RealmFileKey: Sendable {
    /// 64 bytes, or no key.
    package let bytes: [UInt8]
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
