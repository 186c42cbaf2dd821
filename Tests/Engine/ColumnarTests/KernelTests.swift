import Columnar
import StoreTesting
import Testing
import TestBasics

/// Both variants of every kernel against loops that are obviously right, at counts around the block size, from
/// unaligned memory. The bytes after the values differ between the runs and must not matter.
@Suite("Kernels")
struct KernelTests {
    static let counts = [0, 1, 2, 31, 63, 64, 65, 127, 128, 129, 1000, 1984]
    static let variants: [(name: String, kernels: Kernels)] = [("best", .best), ("portable", .portable)]

    @Test("integer ranges select the values in them", arguments: [8, 16, 32, 64])
    func integerRanges(width: Int) {
        each { random, kernels, count, label in
            let top: UInt64 = width == 64 ? .max : 1 << UInt64(width) - 1
            let values = integers(count, width, &random)
            let low = random.next() & top
            let first = values.first ?? 0
            for (low, span) in [(0, top), (low, 0), (low, (top - low) / 2), (first, min(3, top - first)), (top, 0)] {
                let made = mask(count) { words in
                    bytes(values, width).withValues {
                        kernels.select($0, count, width: width, from: low, span: span, into: words)
                    }
                }
                #expect(made == expected(count) { values[$0] >= low && values[$0] - low <= span }, "\(label)")
            }
        }
    }

    @Test("floating ranges select the values in them, and no NaN")
    func floatingRanges() {
        each { random, kernels, count, label in
            let values = doubles(count, &random)
            for (low, high) in [(-1.0, 1.5), (0, 0), (-Double.infinity, .infinity), (1, -1), (.infinity, .infinity)] {
                let made = mask(count) { words in
                    bytes(values).withValues { kernels.select(doubles: $0, count, low, high, into: words) }
                }
                #expect(made == expected(count) { low <= values[$0] && values[$0] <= high }, "\(label)")
                let floats = mask(count) { words in
                    bytes(values.map { Float($0) }).withValues {
                        kernels.select(floats: $0, count, Float(low), Float(high), into: words)
                    }
                }
                #expect(
                    floats
                        == expected(count) { Float(low) <= Float(values[$0]) && Float(values[$0]) <= Float(high) },
                    "\(label)")
            }
        }
    }

    @Test("a table selects its codes")
    func tables() {
        each { random, kernels, count, label in
            let values = integers(count, 8, &random)
            let table = (0..<256).map { _ in UInt8.random(in: 0...2, using: &random) }
            let made = mask(count) { words in
                bytes(values, 8).withValues { kernels.select(codes: $0, count, in: table, into: words) }
            }
            #expect(made == expected(count) { table[Int(values[$0])] != 0 }, "\(label)")
        }
    }

    @Test("a set of bits selects its members, and nothing beyond them", arguments: [16, 32])
    func bitSets(width: Int) {
        each { random, kernels, count, label in
            let values = integers(count, 16, &random).map { $0 % 3000 }
            let bits = (0..<32).map { _ in random.next() }
            for base in [0, 7, -100, Int64.min] {
                let made = mask(count) { words in
                    bytes(values, width).withValues { start in
                        bits.withUnsafeBufferPointer {
                            kernels.select(start, count, width: width, plus: base, in: $0, into: words)
                        }
                    }
                }
                let expected = expected(count) { slot in
                    let bit = base &+ Int64(values[slot])
                    return bit >= 0 && bit < 2048 && bits[Int(bit >> 6)] >> UInt64(bit & 63) & 1 != 0
                }
                #expect(made == expected, "\(label), base \(base)")
            }
        }
    }

    @Test("small values unpack to bytes", arguments: [1, 2, 4])
    func unpacking(width: Int) {
        each { random, kernels, count, label in
            let values = (0..<count).map { _ in UInt8.random(in: 0..<(1 << UInt8(width)), using: &random) }
            var packed = [UInt8](repeating: 0, count: (count * width + 7) / 8)
            for (slot, value) in values.enumerated() { packed[slot * width / 8] |= value << UInt8(slot * width % 8) }
            var out = [UInt8](repeating: 0xAA, count: count + 1)
            packed.withValues { kernels.unpack($0, count, width: width, into: &out) }
            #expect(out == values + [0xAA], "\(label)")
        }
    }

    @Test("masks combine bit by bit, and count their bits")
    func masks() {
        each { random, kernels, count, label in
            let a = (0..<count).map { _ in random.next() }
            let b = (0..<count).map { _ in random.next() }
            func combined(_ body: (UnsafeMutablePointer<UInt64>) -> Void) -> [UInt64] {
                var words = a + [7]
                words.withUnsafeMutableBufferPointer { if let start = $0.baseAddress { body(start) } }
                return words
            }
            #expect(combined { kernels.intersect($0, with: b, count) } == zip(a, b).map { $0 & $1 } + [7], "\(label)")
            #expect(combined { kernels.unite($0, with: b, count) } == zip(a, b).map { $0 | $1 } + [7], "\(label)")
            #expect(combined { kernels.subtract(b, from: $0, count) } == zip(a, b).map { $0 & ~$1 } + [7], "\(label)")
            #expect(kernels.population(a, count) == a.reduce(0) { $0 + $1.nonzeroBitCount }, "\(label)")
        }
    }

    @Test("integer sums and bounds are exact, with a mask and without", arguments: [8, 16, 32, 64])
    func integerSums(width: Int) {
        each { random, kernels, count, label in
            let values = integers(count, width, &random)
            let selection = selection(count, &random)
            bytes(values, width).withValues { start in
                #expect(
                    kernels.sum(start, count, width: width, nil) == values.reduce(Int128(0)) { $0 + Int128($1) },
                    "\(label)")
                let chosen = (0..<count).filter { isSet(selection, $0) }.map { values[$0] }
                #expect(
                    kernels.sum(start, count, width: width, selection) == chosen.reduce(Int128(0)) { $0 + Int128($1) },
                    "\(label)")
                let bounds = kernels.bounds(start, count, width: width, selection)
                #expect(bounds.count == chosen.count, "\(label)")
                if let low = chosen.min(), let high = chosen.max() {
                    #expect(bounds.minimum == low && bounds.maximum == high, "\(label)")
                } else {
                    #expect(bounds.minimum > bounds.maximum, "\(label)")
                }
            }
        }
    }

    @Test("floating sums and bounds ignore NaN", arguments: [32, 64])
    func floatingSums(width: Int) {
        each { random, kernels, count, label in
            // Multiples of a half add up exactly in any order.
            let values = doubles(count, &random).map { $0.isInfinite ? 9 : $0 }
            let selection = random.next() % 4 == 0 ? nil : selection(count, &random)
            let chosen = (0..<count).filter { selection.map { isSet($0) }?($0) ?? true }.map { values[$0] }
                .filter { !$0.isNaN }
            let data = width == 64 ? bytes(values) : bytes(values.map { Float($0) })
            data.withValues { start in
                func check(_ mask: UnsafePointer<UInt64>?) {
                    let sum = kernels.floatingSum(start, count, width: width, mask)
                    #expect(sum.sum == chosen.reduce(0, +) && sum.count == chosen.count, "\(label)")
                    let bounds = kernels.floatingBounds(start, count, width: width, mask)
                    #expect(bounds.count == chosen.count, "\(label)")
                    #expect(
                        bounds.minimum == chosen.min() ?? .infinity && bounds.maximum == chosen.max() ?? -.infinity,
                        "\(label)")
                }
                if let selection { check(selection) } else { check(nil) }
            }
        }
    }

    // MARK: Support

    private func each(
        function: StaticString = #function, _ body: (inout SeededRandom, Kernels, Int, String) -> Void
    ) {
        let seed = TestSeed.of(function: function)
        for variant in Self.variants {
            var random = SeededRandom(seed: seed)
            for count in Self.counts {
                body(&random, variant.kernels, count, "\(variant.name), \(count), seed \(seed)")
            }
        }
    }

    private func integers(_ count: Int, _ width: Int, _ random: inout SeededRandom) -> [UInt64] {
        (0..<count).map { _ in random.next() >> UInt64(64 - width) }
    }

    private func doubles(_ count: Int, _ random: inout SeededRandom) -> [Double] {
        (0..<count).map { _ in
            switch random.next() % 12 {
            case 0: .nan
            case 1: .infinity
            case 2: -0.0
            default: Double(Int64(random.next() % 17) - 8) / 2
            }
        }
    }

    private func selection(_ count: Int, _ random: inout SeededRandom) -> [UInt64] {
        // Some words are full and some empty; bits beyond the count are set, to be ignored.
        (0..<max(1, maskWordCount(count))).map { _ in
            switch random.next() % 4 {
            case 0: ~0
            case 1: 0
            default: random.next()
            }
        }
    }

    private func isSet(_ words: [UInt64], _ slot: Int) -> Bool { words[slot >> 6] >> UInt64(slot & 63) & 1 != 0 }

    private func isSet(_ words: [UInt64]) -> (Int) -> Bool { { isSet(words, $0) } }

    private func mask(_ count: Int, _ body: (UnsafeMutablePointer<UInt64>) -> Void) -> [UInt64] {
        var words = [UInt64](repeating: 0xDEAD, count: maskWordCount(count) + 1)
        words.withUnsafeMutableBufferPointer { if let start = $0.baseAddress { body(start) } }
        return words
    }

    private func expected(_ count: Int, _ test: (Int) -> Bool) -> [UInt64] {
        var words = [UInt64](repeating: 0, count: maskWordCount(count)) + [0xDEAD]
        for slot in 0..<count where test(slot) { words[slot >> 6] |= 1 << UInt64(slot & 63) }
        return words
    }

    private func bytes(_ values: [UInt64], _ width: Int) -> [UInt8] {
        values.flatMap { value in withUnsafeBytes(of: value.littleEndian) { Array($0.prefix(width / 8)) } }
    }

    private func bytes<T>(_ values: [T]) -> [UInt8] { values.withUnsafeBytes { Array($0) } }
}

extension [UInt8] {
    /// The bytes at an odd address, at the very end of their memory.
    fileprivate func withValues(_ body: (UnsafeRawPointer) -> Void) {
        let copy = [0x55] + self
        copy.withUnsafeBytes { if let start = $0.baseAddress { body(start + 1) } }
    }
}
