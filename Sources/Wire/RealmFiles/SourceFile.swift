import Glibc

/// A file that is open for reading, and its key if it has one. Other programs may write to it at any time.
final class SourceFile: Sendable {
    private let descriptor: Descriptor
    /// Nil for a file that is not encrypted.
    private let key: RealmFileKey?

    /// Throws `notRealm` and `unsupportedFormat` for files whose first bytes are not those of a file to read, whatever
    /// their size.
    convenience init(path: String, key: RealmFileKey?) throws(RealmFileError) {
        if let key, key.bytes.count != RealmFile.keyLength { throw .wrongKey(length: key.bytes.count) }
        try self.init(try Self.opened(path), key)
    }

    /// Duplicates the descriptor, which is that of a file that no other program has.
    convenience init(own descriptor: Int32, key: RealmFileKey?) throws(RealmFileError) {
        if let key, key.bytes.count != RealmFile.keyLength { throw .wrongKey(length: key.bytes.count) }
        let own = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
        guard own >= 0 else { throw .unreadable(code: errno) }
        try self.init(Descriptor(own), key)
    }

    private init(_ descriptor: Descriptor, _ key: RealmFileKey?) throws(RealmFileError) {
        self.descriptor = descriptor
        // A plain file needs no key, and one that is given does no harm.
        let start = try Self.header(of: descriptor)
        let isPlain = FileHeader.isPlain(start)
        self.key = isPlain ? nil : key
        if isPlain {
            _ = try FileHeader.format(start)
        } else if key == nil {
            throw .notRealm(mayBeEncrypted: PageDecryption.mayBeEncrypted(length: try length()))
        }
    }

    /// Whether a file begins like a Realm file that is not encrypted; false if it cannot be read.
    static func isPlain(path: String) -> Bool {
        guard let descriptor = try? opened(path), let start = try? header(of: descriptor) else { return false }
        return FileHeader.isPlain(start)
    }

    private static func opened(_ path: String) throws(RealmFileError) -> Descriptor {
        // What is not a file, such as a pipe, must not block here.
        let number = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard number >= 0 else { throw .unreadable(code: errno) }
        return Descriptor(number)
    }

    private static func header(of descriptor: Descriptor) throws(RealmFileError) -> FileImage {
        try FileImage(try bytes(of: descriptor.number, 0..<FileHeader.length))
    }

    /// A copy of the whole file as it was at one time.
    ///
    /// Realm writes a commit into free space, and then its header. What the header names is overwritten by the commit
    /// after the next at the earliest, so a copy is whole when the header was the same before and after. Many commits
    /// may lead back to the same offsets; then the number of the snapshot in the topmost node differs.
    ///
    /// Throws `inUse` when no attempt succeeds. Cost: memory of the file's size.
    func copy() throws(RealmFileError) -> (image: FileImage, header: FileHeader) {
        for attempt in 1...Self.attempts {
            do throws(RealmFileError) {
                // A table and a page at least.
                if key != nil, PageDecryption.plainLength(of: try length()) == 0 {
                    throw .wrongKey(length: RealmFile.keyLength)
                }
                let before = try bytes(0..<FileHeader.length)
                let image = try content()
                let header = try FileHeader(image)
                let isSame = try isUnchanged(since: image, header)
                if isSame, image.bytes(at: 0, count: before.count) == before { return (image, header) }
            } catch {
                switch error {
                case .inUse: continue
                // A copy that was taken while another program wrote may look damaged, or as if the key were wrong.
                case .damaged, .wrongKey: if attempt >= Self.doubts { throw error }
                // The codes of the pages are right, and their bytes make no sense: half of the key is.
                case .notRealm where key != nil: throw .wrongKey(length: RealmFile.keyLength)
                case .notRealm, .unsupportedFormat, .tooLarge, .unreadable: throw error
                }
            }
        }
        throw .inUse
    }

    /// What is in a file that no other program has: a map of it or, of an encrypted one, its pages in memory.
    func whole() throws(RealmFileError) -> (image: FileImage, header: FileHeader) {
        let image = try key == nil ? FileImage(mapping: descriptor.number, count: length()) : content()
        do throws(RealmFileError) {
            return (image, try FileHeader(image))
        } catch .notRealm where key != nil {
            throw .wrongKey(length: RealmFile.keyLength)
        }
    }

    /// Whether the header and the topmost node are as they were when this copy was taken.
    func isUnchanged(since image: FileImage, _ header: FileHeader) throws(RealmFileError) -> Bool {
        var watched = [0..<FileHeader.length]
        if header.top > 0, header.top < image.count {
            let top = Int(header.top)
            watched.append(top..<min(top + Self.topLength, image.count))
        }
        for range in watched {
            do throws(RealmFileError) {
                if try bytes(range) != image.bytes(at: range.lowerBound, count: range.count) { return false }
            } catch {
                if case .unreadable = error { throw error }
                // Cut off, or a page that is just being written.
                return false
            }
        }
        return true
    }

    private static let attempts = 8
    /// How often a copy must look damaged, until the file is.
    private static let doubts = 3
    /// The topmost node has at most 12 elements of 8 bytes.
    private static let topLength = Node.headerLength + 12 * 8
}

extension SourceFile {
    private func length() throws(RealmFileError) -> Int {
        var status = stat()
        guard fstat(descriptor.number, &status) == 0 else { throw .unreadable(code: errno) }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw .unreadable(code: status.st_mode & S_IFMT == S_IFDIR ? EISDIR : EINVAL)
        }
        return status.st_size
    }

    /// All bytes, decrypted if there is a key.
    private func content() throws(RealmFileError) -> FileImage {
        let length = try length()
        guard let key else {
            return try FileImage(count: length) { (memory) throws(RealmFileError) in
                var offset = 0
                while let part = Self.data(in: descriptor.number, from: offset, to: length) {
                    let target = UnsafeMutableRawBufferPointer(rebasing: memory[part])
                    try Self.fill(target, from: descriptor.number, at: part.lowerBound)
                    offset = part.upperBound
                }
                if try self.length() < length { throw .inUse }
            }
        }
        return try FileImage(count: PageDecryption.plainLength(of: length)) { (memory) throws(RealmFileError) in
            try decrypt(into: memory, from: 0, key)
        }
    }

    /// The next part of a file that is not a hole: a hole is zeros, as new memory is, and need not take any. Nil at the
    /// end.
    private static func data(in number: Int32, from offset: Int, to end: Int) -> Range<Int>? {
        // Linux's numbers, which Swift does not import.
        let (seekData, seekHole): (Int32, Int32) = (3, 4)
        guard offset < end else { return nil }
        let start = lseek(number, offset, seekData)
        // Where the file system knows of no holes, all is data.
        guard start >= 0 else { return errno == ENXIO ? nil : offset..<end }
        guard start < end else { return nil }
        let hole = lseek(number, start, seekHole)
        return start..<(hole > start ? min(hole, end) : end)
    }

    /// A few bytes, decrypted if there is a key.
    private func bytes(_ range: Range<Int>) throws(RealmFileError) -> [UInt8] {
        guard let key else { return try Self.bytes(of: descriptor.number, range) }
        let first = range.lowerBound / PageDecryption.pageLength
        let last = (range.upperBound - 1) / PageDecryption.pageLength
        let pages = try FileImage(count: (last + 1 - first) * PageDecryption.pageLength) {
            (memory) throws(RealmFileError) in try decrypt(into: memory, from: first, key)
        }
        let start = range.lowerBound - first * PageDecryption.pageLength
        return pages.bytes(at: start, count: range.count) ?? []
    }

    /// Fills memory of whole pages with the pages of the plain file from one on.
    private func decrypt(
        into memory: UnsafeMutableRawBufferPointer, from first: Int, _ key: RealmFileKey
    ) throws(RealmFileError) {
        let decryption = try PageDecryption(key: key)
        let count = memory.count / PageDecryption.pageLength
        var done = 0
        while done < count {
            let page = first + done
            let offset = PageDecryption.tableOffset(of: page)
            let table = try Self.bytes(of: descriptor.number, offset..<offset + PageDecryption.pageLength)
            let number = min(count - done, PageDecryption.pagesPerBlock - page % PageDecryption.pagesPerBlock)
            func part(_ from: Int, _ number: Int) -> UnsafeMutableRawBufferPointer {
                let start = from * PageDecryption.pageLength
                return UnsafeMutableRawBufferPointer(
                    rebasing: memory[start..<start + number * PageDecryption.pageLength])
            }
            try Self.fill(part(done, number), from: descriptor.number, at: PageDecryption.offset(of: page))
            for index in 0..<number {
                try decryption.decrypt(part(done + index, 1), page: page + index, table: table)
            }
            done += number
        }
    }

    private static func bytes(of number: Int32, _ range: Range<Int>) throws(RealmFileError) -> [UInt8] {
        let image = try FileImage(count: range.count) { (memory) throws(RealmFileError) in
            do throws(RealmFileError) {
                try fill(memory, from: number, at: range.lowerBound)
            } catch .inUse where range.lowerBound == 0 {
                // Too short for a header: what is missing stays zero, which is not a mark of Realm.
            }
        }
        return image.bytes(at: 0, count: range.count) ?? []
    }

    /// Throws `inUse` when the file ends before the memory does: then it was cut off meanwhile.
    private static func fill(
        _ memory: UnsafeMutableRawBufferPointer, from number: Int32, at offset: Int
    ) throws(RealmFileError) {
        var done = 0
        while done < memory.count {
            let rest = UnsafeMutableRawBufferPointer(rebasing: memory[done...])
            let count = pread(number, rest.baseAddress, rest.count, offset + done)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw .unreadable(code: errno) }
            guard count > 0 else { throw .inUse }
            done += count
        }
    }
}

/// A descriptor that is closed with its owner, also when that one's initializer throws.
private final class Descriptor: Sendable {
    let number: Int32

    init(_ number: Int32) { self.number = number }

    deinit { close(number) }
}
