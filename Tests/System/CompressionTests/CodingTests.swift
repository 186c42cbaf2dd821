import Compression
import TestBasics
import Testing

@Suite("Content codings")
struct CodingTests {
    static let contents: [(name: String, bytes: [UInt8])] = {
        var random = SeededRandom.ofTest()
        let text = (0..<40_000).flatMap { Array("{\"id\":\($0),\"name\":\"Rex\"}\n".utf8) }
        return [
            ("nothing", []), ("a byte", [7]), ("text", text),
            ("noise", random.bytes(200_000)),
            ("zeros", [UInt8](repeating: 0, count: 5_000_000)),
        ]
    }()

    static let cases = Coding.allCases.flatMap { coding in contents.indices.map { (coding, $0) } }

    @Test("the codings have their names in HTTP")
    func names() {
        #expect(Coding.allCases.map(\.rawValue) == ["zstd", "gzip"])
        for coding in Coding.allCases { #expect(Coding(name: coding.rawValue) == coding) }
        let order = Coding.names.compactMap { Coding.allCases.firstIndex(of: $0.coding) }
        #expect(order == order.sorted(), "the names are not in the order of preference")
        #expect(Coding(name: "X-GZip") == .gzip)
        #expect(Coding(name: "br") == nil)
    }

    @Test("output expands to the input, whole and piece by piece", arguments: cases)
    func roundTrip(coding: Coding, index: Int) throws {
        let bytes = Self.contents[index].bytes
        let whole = try bytes.withUnsafeBytes { try Encoder(coding, .best).encode($0) }
        #expect(try whole.withUnsafeBytes { try Decoder.expand($0, coding, limit: bytes.count) } == bytes)

        let encoder = try Encoder(coding)
        for _ in 0..<2 {
            var pieces: [UInt8] = []
            for start in stride(from: 0, to: bytes.count, by: 70_001) {
                try bytes[start..<min(start + 70_001, bytes.count)].withUnsafeBytes { try encoder.add($0, to: &pieces) }
            }
            try encoder.finish(into: &pieces)
            try encoder.reset()
            #expect(try collect(coding, pieces, step: 999, limit: bytes.count) == bytes)
        }
    }

    @Test("several streams in a row count as one", arguments: Coding.allCases)
    func concatenated(coding: Coding) throws {
        let bytes = Self.contents[2].bytes
        let one = try bytes.withUnsafeBytes { try Encoder(coding).encode($0) }
        #expect(try collect(coding, one + one, step: 1_000, limit: .max) == bytes + bytes)
        #expect(try (one + one).withUnsafeBytes { try Decoder.expand($0, coding, limit: .max) } == bytes + bytes)
    }

    @Test("expansion stops at the limit and holds only a piece of a bomb's output", arguments: Coding.allCases)
    func bomb(coding: Coding) throws {
        let encoder = try Encoder(coding)
        let block = [UInt8](repeating: 0, count: 1 << 20)
        var bomb: [UInt8] = []
        for _ in 0..<64 { try block.withUnsafeBytes { try encoder.add($0, to: &bomb) } }
        try encoder.finish(into: &bomb)
        #expect(bomb.count < 100_000)
        #expect(throws: CompressionError.tooLarge(limit: 1 << 20)) {
            try bomb.withUnsafeBytes { try Decoder.expand($0, coding, limit: 1 << 20) }
        }
        var isRead = false
        let pieces = try DecodedPieces(coding, limit: 63 << 20) {
            defer { isRead = true }
            return isRead ? nil : bomb
        }
        var (total, largest) = (0, 0)
        #expect(throws: CompressionError.tooLarge(limit: 63 << 20)) {
            while let piece = try pieces.next() { (total, largest) = (total + piece.count, max(largest, piece.count)) }
        }
        #expect(total > 62 << 20)
        #expect(largest <= 96 * 1024)
    }

    @Test("truncated and changed data is detected", arguments: Coding.allCases)
    func damage(coding: Coding) throws {
        let bytes = Array(Self.contents[2].bytes.prefix(20_000))
        let whole = try bytes.withUnsafeBytes { try Encoder(coding).encode($0) }
        func expand(_ bytes: [UInt8]) throws -> [UInt8] {
            try bytes.withUnsafeBytes { try Decoder.expand($0, coding, limit: 1 << 20) }
        }
        for length in stride(from: 0, to: whole.count, by: 97) {
            #expect(throws: CompressionError.truncated) { try expand(Array(whole.prefix(length))) }
        }
        #expect(throws: CompressionError.damaged) { try expand(whole + Array("more".utf8)) }
        #expect(throws: CompressionError.damaged) { try expand(Array("this is none".utf8)) }
        var changed = whole
        changed[whole.count / 2] ^= 0x55
        // At least the checksum detects it.
        #expect(throws: CompressionError.self) { try expand(changed) }
    }

    @Test("a window beyond HTTP's limit is rejected")
    func window() throws {
        // Magic number; no single segment, no checksum; a window of 2^27 bytes; an empty last block.
        let frame: [UInt8] = [0x28, 0xb5, 0x2f, 0xfd, 0x00, 17 << 3, 0x01, 0x00, 0x00]
        #expect(throws: CompressionError.damaged) {
            try frame.withUnsafeBytes { try Decoder.expand($0, .zstd, limit: 10) }
        }
    }

    @Test("encoders are reused", arguments: Coding.allCases)
    func pool(coding: Coding) throws {
        let pool = EncoderPool(limit: 1)
        let first = try pool.acquire(coding)
        var dropped: [UInt8] = []
        try Self.contents[2].bytes.withUnsafeBytes { try first.add($0, to: &dropped) }
        pool.put(first)
        let again = try pool.acquire(coding)
        #expect(again === first)
        let encoded = try [1, 2, 3].withUnsafeBytes { try again.encode($0) }
        let plain = try [1, 2, 3].withUnsafeBytes { try Encoder(coding).encode($0) }
        #expect(encoded == plain)
    }

    private func collect(_ coding: Coding, _ bytes: [UInt8], step: Int, limit: Int) throws -> [UInt8] {
        var index = 0
        let pieces = try DecodedPieces(coding, limit: limit) {
            guard index < bytes.count else { return nil }
            defer { index = min(index + step, bytes.count) }
            return Array(bytes[index..<min(index + step, bytes.count)])
        }
        var all: [UInt8] = []
        while let piece = try pieces.next() { all += piece }
        return all
    }
}
