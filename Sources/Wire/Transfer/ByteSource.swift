import Glibc

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
    private let expanded: (any ExpandedBytes)?
    private var block = [UInt8](repeating: 0, count: 1 << 16)
    private var position = 0
    private var end = 0

    /// The number of bytes returned so far.
    package private(set) var count = 0
    /// Called before each block with the number of decompressed bytes so far. If it throws, reading ends.
    package var check: (@Sendable (_ expanded: Int) throws -> Void)?

    /// The position in the file, which may be compressed.
    package var place: Int { expanded?.offset ?? count }

    /// The size of the file; nil for a pipe.
    package let size: Int?

    /// Opens a file; `-` is standard input.
    package convenience init(path: String) throws {
        guard path != "-" else {
            self.init(STDIN_FILENO, "standard input", owner: nil)
            return
        }
        let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw TransferFault(
                "Cannot read '\(path)': \(String(cString: strerror(errno))).", isUnreadableFile: true)
        }
        self.init(descriptor, "'\(path)'", owner: OpenFile(descriptor))
    }

    /// Reads from an open descriptor.
    ///
    /// - Parameters:
    ///   - name: the name of the source in error messages.
    ///   - owner: an object that closes the descriptor when it is released.
    ///   - expanded: the source of the decompressed bytes; nil to read the descriptor itself.
    package init(_ descriptor: Int32, _ name: String, owner: AnyObject?, expanded: (any ExpandedBytes)? = nil) {
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

    /// Appends the bytes up to the next `stop` and consumes that too. Returns false at the end of the source.
    func read(upTo stop: UInt8, into bytes: inout [UInt8], limit: Int) throws -> Bool {
        while true {
            if position == end, try !fill() { return false }
            let found = place(of: stop)
            bytes += block[position..<(found ?? end)]
            count += (found.map { $0 + 1 } ?? end) - position
            position = found.map { $0 + 1 } ?? end
            guard bytes.count <= limit else {
                throw TransferFault("A line of \(name) is longer than \(limit >> 20) MiB.")
            }
            if found != nil { return true }
        }
    }

    /// Returns the index of the next such byte in the rest of the block.
    private func place(of byte: UInt8) -> Int? {
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
            guard bytes.count <= limit else { throw TransferFault("\(name) is larger than \(limit >> 20) MiB.") }
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
        while true {
            let count = block.withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw TransferFault("Cannot read \(name): \(String(cString: strerror(errno))).") }
            end = count
            return count > 0
        }
    }
}

/// Closes a file when it is released.
private final class OpenFile {
    private let descriptor: Int32

    init(_ descriptor: Int32) { self.descriptor = descriptor }

    deinit { close(descriptor) }
}
