import Compression
import Glibc
import JSONCoding

/// The decompressed content of a compressed file.
package protocol ExpandedBytes: AnyObject {
    /// The position in the compressed file up to which it has been read.
    var offset: Int { get }

    /// Returns the next bytes; nil at the end.
    func next() throws -> [UInt8]?
}

/// The bytes of a file, read in blocks and returned one at a time.
package final class ByteSource {
    private let descriptor: Int32
    private let name: String
    private let owner: AnyObject?
    private var expanded: (any ExpandedBytes)?
    private let expands: Bool
    private var isAtBegin = true
    private var block = [UInt8](repeating: 0, count: 1 << 16)
    private var position = 0
    private var end = 0

    /// The number of bytes returned so far.
    package private(set) var count = 0
    /// Called before each block with the number of decompressed bytes so far. If it throws, reading ends.
    package var check: (@Sendable (_ expanded: Int) throws -> Void)?

    /// The memory for long lines; nil if nothing counts them.
    package var lineMemory: (any LineMemory)?

    /// The position in the file, which may be compressed.
    package var filePosition: Int { expanded?.offset ?? count }

    /// The size of the file; nil for a pipe.
    package let size: Int?

    /// Opens a file; `-` is standard input.
    package convenience init(path: String) throws {
        guard path != "-" else {
            self.init(STDIN_FILENO, "standard input", owner: nil, expands: true)
            return
        }
        let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw TransferError(
                "Cannot read '\(path)': \(String(cString: strerror(errno))).", isUnreadableFile: true)
        }
        self.init(descriptor, "'\(path)'", owner: OpenFile(descriptor), expands: true)
    }

    /// Reads from memory.
    convenience init(_ bytes: [UInt8]) {
        self.init(-1, "the text", owner: nil, expanded: BytesAtHand(bytes))
    }

    /// Reads from an open descriptor.
    ///
    /// - Parameters:
    ///   - name: the name of the source in error messages.
    ///   - owner: an object that closes the descriptor when it is released.
    ///   - expanded: the source of the decompressed bytes; nil to read the descriptor itself.
    ///   - expands: whether a file that begins as one of gzip or zstd is decompressed; reading one fails otherwise.
    package init(
        _ descriptor: Int32, _ name: String, owner: AnyObject?, expanded: (any ExpandedBytes)? = nil,
        expands: Bool = false
    ) {
        self.expands = expands
        self.descriptor = descriptor
        self.name = name
        self.owner = owner
        self.expanded = expanded
        var status = stat()
        let isFile = fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
        size = isFile ? Int(status.st_size) : nil
    }

    /// Returns the next byte; nil at the end.
    func next() throws -> UInt8? {
        if position == end, try !fill() { return nil }
        defer {
            position += 1
            count += 1
        }
        return block[position]
    }

    /// Returns the next byte without consuming it; nil at the end.
    func peek() throws -> UInt8? {
        if position == end, try !fill() { return nil }
        return block[position]
    }

    /// Skips a byte order mark, which is only at the beginning. Throws `TransferError` for that of UTF-16.
    func skipMark() throws {
        let first = try peek(JSONValue.byteOrderMark.count)
        guard !first.starts(with: [0xFF, 0xFE]), !first.starts(with: [0xFE, 0xFF]) else {
            throw TransferError("The text of \(name) is UTF-16. Save it as UTF-8.")
        }
        guard first.elementsEqual(JSONValue.byteOrderMark) else { return }
        position += first.count
        count += first.count
    }

    /// Returns the next bytes without consuming them, fewer only at the end.
    private func peek(_ wanted: Int) throws -> ArraySlice<UInt8> {
        while end - position < wanted {
            let rest = Array(block[position..<end])
            let more = try fill()
            // The block keeps its size for the next read.
            block.replaceSubrange(0..<(more ? 0 : min(rest.count, block.count)), with: rest)
            end += rest.count
            if !more { break }
        }
        return block[position..<min(position + wanted, end)]
    }

    /// Appends the bytes up to the next `stop` and consumes that too. Returns false at the end of the source.
    ///
    /// - Parameter whenLong: called once if there are more than `uncountedLine` bytes.
    func read(
        upTo stop: UInt8, into bytes: inout [UInt8], limit: Int, whenLong: () throws -> Void = {}
    ) throws -> Bool {
        var isLong = false
        while true {
            if !isLong, bytes.count > uncountedLine {
                isLong = true
                try whenLong()
            }
            if position == end, try !fill() { return false }
            let found = position(of: stop)
            bytes += block[position..<(found ?? end)]
            count += (found.map { $0 + 1 } ?? end) - position
            position = found.map { $0 + 1 } ?? end
            guard bytes.count <= limit else {
                throw TransferError("A line of \(name) is longer than \(limit >> 20) MiB.")
            }
            if found != nil { return true }
        }
    }

    /// Returns the index of the next such byte in the rest of the block.
    private func position(of byte: UInt8) -> Int? {
        block.withUnsafeBytes { bytes in
            guard position < end, let start = bytes.baseAddress,
                let found = memchr(start + position, Int32(byte), end - position)
            else { return nil }
            return UnsafeRawPointer(found) - start
        }
    }

    /// Returns the next bytes, at most a block; nil at the end.
    package func nextBlock() throws -> [UInt8]? {
        if position == end, try !fill() { return nil }
        defer {
            count += end - position
            position = end
        }
        return Array(block[position..<end])
    }

    /// Returns the rest; throws if it is longer than `limit`.
    package func readAll(limit: Int) throws -> [UInt8] {
        var bytes: [UInt8] = []
        while try position < end || fill() {
            bytes += block[position..<end]
            count += end - position
            position = end
            guard bytes.count <= limit else { throw TransferError("\(name) is larger than \(limit >> 20) MiB.") }
        }
        return bytes
    }

    private func fill() throws -> Bool {
        position = 0
        end = 0
        try check?(count)
        if let expanded {
            guard let bytes = try expanded.next() else { return false }
            block = bytes
            end = bytes.count
            return true
        }
        end = try readBlock()
        if isAtBegin {
            isAtBegin = false
            if let coding = Coding(beginning: block[..<end]) { return try expand(coding) }
        }
        return end > 0
    }

    private func readBlock() throws -> Int { try Self.read(descriptor, name, into: &block) }

    /// Returns the number of bytes read; 0 at the end.
    private static func read(_ descriptor: Int32, _ name: String, into block: inout [UInt8]) throws -> Int {
        while true {
            let count = block.withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else {
                throw TransferError(
                    "Cannot read \(name): \(String(cString: strerror(errno))).", isUnreadableFile: errno == EISDIR)
            }
            return count
        }
    }

    /// Decompresses the file, whose first block has been read.
    private func expand(_ coding: Coding) throws -> Bool {
        guard expands else {
            throw TransferError(
                "\(name.withCapital) is compressed with \(coding.rawValue). Send it with Content-Encoding: \(coding.rawValue)."
            )
        }
        let first = Array(block[..<end])
        end = 0
        let expanded = try ExpandedInput(coding, name, after: first) { [descriptor, name] in
            var bytes = [UInt8](repeating: 0, count: 1 << 16)
            return Array(bytes[..<(try Self.read(descriptor, name, into: &bytes))])
        }
        self.expanded = expanded
        return try fill()
    }
}

/// Bytes in memory.
private final class BytesAtHand: ExpandedBytes {
    private var bytes: [UInt8]?
    private(set) var offset = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes.isEmpty ? nil : bytes }

    func next() -> [UInt8]? {
        defer { bytes = nil }
        offset += bytes?.count ?? 0
        return bytes
    }
}

/// The decompressed bytes of a file of the command line.
private final class ExpandedInput: ExpandedBytes {
    private let coding: Coding
    private let name: String
    private let pieces: DecodedPieces
    private let progress: Progress

    private final class Progress {
        var offset = 0
    }

    /// - Parameters:
    ///   - first: the bytes that have been read.
    ///   - read: returns the next bytes; empty at the end.
    init(_ coding: Coding, _ name: String, after first: [UInt8], read: @escaping () throws -> [UInt8]) throws {
        let progress = Progress()
        (self.coding, self.name, self.progress) = (coding, name, progress)
        var first: [UInt8]? = first
        pieces = try DecodedPieces(coding, limit: .max) {
            let bytes = try first ?? read()
            first = nil
            progress.offset += bytes.count
            return bytes.isEmpty ? nil : bytes
        }
    }

    var offset: Int { progress.offset }

    func next() throws -> [UInt8]? {
        do {
            return try pieces.next()
        } catch let error as CompressionError {
            let what = error == .truncated ? "ends too early" : "is damaged"
            throw TransferError("The \(coding.rawValue) data of \(name) \(what).")
        }
    }
}

extension String {
    /// `the body` as `The body`.
    fileprivate var withCapital: String { prefix(1).uppercased() + dropFirst() }
}

/// Closes a file when it is released.
private final class OpenFile {
    private let descriptor: Int32

    init(_ descriptor: Int32) { self.descriptor = descriptor }

    deinit { close(descriptor) }
}
