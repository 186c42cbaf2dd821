import Columnar
import ObjectModel
import StoreTesting
import Testing
import TestBasics

@Suite("Leaves: writing and reading back")
struct MutableLeafTests {
    @Test("every kind reads back the appended values, in place and decoded", arguments: LeafKind.allCases)
    func roundTrip(kind: LeafKind) throws {
        for (name, values) in Samples.columns(of: kind) {
            let bytes = try encode(values, kind)
            try bytes.withLeaf(kind) { leaf in
                #expect(leaf.count == values.count, "\(name)")
                #expect(leaf.nullCount == values.count { $0.isNull }, "\(name)")
                #expect((0..<leaf.count).map { leaf.value(at: $0) } == values, "\(name)")
                let decoded = MutableLeaf(decoding: leaf)
                #expect((0..<decoded.count).map { decoded.value(at: $0) } == values, "\(name)")
                #expect(decoded.encode() == bytes, "\(name)")
            }
        }
    }

    @Test("an unaligned leaf reads like an aligned one", arguments: LeafKind.allCases)
    func unaligned(kind: LeafKind) throws {
        for (name, values) in Samples.columns(of: kind) {
            let bytes = try [0, 0] + encode(values, kind)
            try bytes.withUnsafeBytes { raw in
                let leaf = try Leaf(validating: UnsafeRawBufferPointer(rebasing: raw[2...]), kind: kind)
                #expect((0..<leaf.count).map { leaf.value(at: $0) } == values, "\(name)")
            }
        }
    }

    @Test("integers take the fewest bits that hold the difference of the largest and smallest")
    func widths() throws {
        let base: Int64 = -40
        let spans: [(UInt64, Int)] = [
            (0, 0), (1, 1), (2, 2), (3, 2), (4, 4), (15, 4), (16, 8), (255, 8), (256, 16), (65535, 16), (65536, 32),
            (1 << 32 - 1, 32), (1 << 32, 64), (.max >> 1, 64),
        ]
        for (span, bits) in spans {
            let last = base &+ Int64(bitPattern: span)
            let values = (0..<64).map { $0 == 63 ? Value.int(last) : .int(base) }
            #expect(try encode(values, .int).count == 32 + 64 * bits / 8, "span \(span)")
        }
        #expect(try encode([.int(.min), .int(.max)], .int).count == 32 + 16)
    }

    @Test("few distinct strings become a dictionary, many do not")
    func dictionarySwitch() throws {
        func size(_ distinct: Int) throws -> Int {
            try encode((0..<1984).map { .string("value number \($0 % distinct)") }, .string).count
        }
        let dictionary256 = try size(256)
        let plain257 = try size(257)
        #expect(dictionary256 < 32 + 1984 + 257 * 2 + 256 * 16 + 1)
        #expect(plain257 > 1984 * 14)
    }

    @Test("null is valid in any kind of leaf, and can be replaced by a value", arguments: LeafKind.allCases)
    func nullsComeAndGo(kind: LeafKind) throws {
        var leaf = MutableLeaf(kind: kind)
        let values = Samples.plain(kind)
        for _ in 0..<values.count { try leaf.append(.null) }
        #expect(leaf.nullCount == values.count)
        try leaf.encode().withLeaf(kind) { #expect($0.nullCount == values.count && $0.value(at: 0) == .null) }
        for (slot, value) in values.enumerated() { try leaf.set(slot, value) }
        #expect(leaf.nullCount == 0)
        #expect((0..<leaf.count).map { leaf.value(at: $0) } == values)
        #expect(leaf.encode() == (try encode(values, kind)))
    }

    @Test("texts that are replaced by shorter and longer ones read as the last one", arguments: 0..<8)
    func replacedTexts(_ round: Int) throws {
        let seed = TestSeed.of(round)
        var random = SeededRandom(seed: seed)
        var leaf = MutableLeaf(kind: .string)
        var texts: [String?] = (0..<100).map { "text \($0)" }
        for text in texts { try leaf.append(text.map { .string($0) } ?? .null) }
        for _ in 0..<5_000 {
            let slot = random.below(texts.count)
            if round.isMultiple(of: 2), random.below(50) == 0 {
                texts[slot] = nil
                try leaf.set(slot, .null)
                continue
            }
            var text = String(repeating: ["é", "x", "日"][random.below(3)], count: random.below(40))
            texts[slot] = text
            if random.below(2) == 0 {
                let isSet = try text.withUTF8 { try leaf.setPlain(slot, utf8: $0) }
                #expect(isSet)
            } else {
                try leaf.set(slot, .string(text))
            }
        }
        let values = texts.map { $0.map { Value.string($0) } ?? .null }
        #expect((0..<leaf.count).map { leaf.value(at: $0) } == values, "seed \(seed)")
        #expect(leaf.encode() == (try encode(values, .string)), "seed \(seed)")
    }

    @Test("a value of another kind is rejected and changes nothing")
    func kindMismatch() throws {
        var leaf = MutableLeaf(kind: .int)
        try leaf.append(.int(1))
        #expect(throws: LeafError.kindMismatch) { try leaf.append(.string("x")) }
        #expect(throws: LeafError.kindMismatch) { try leaf.set(0, .double(1)) }
        #expect(throws: LeafError.noSuchSlot) { try leaf.set(1, .int(1)) }
        #expect(throws: LeafError.noSuchSlot) { try leaf.set(-1, .int(1)) }
        #expect(leaf.count == 1 && leaf.value(at: 0) == .int(1))
    }

    @Test("a leaf rejects more slots than its header can count")
    func full() throws {
        var leaf = MutableLeaf(kind: .bool)
        for _ in 0..<Cluster.maximumCapacity { try leaf.append(.bool(true)) }
        #expect(throws: LeafError.full) { try leaf.append(.bool(true)) }
        try leaf.encode().withLeaf(.bool) { #expect($0.count == 65535 && $0.bool(at: 65534)) }
    }

    @Test("random edits read like the same edits of an array", arguments: LeafKind.allCases)
    func randomEdits(kind: LeafKind) throws {
        let seed = TestSeed.of(kind)
        var random = SeededRandom(seed: seed)
        var leaf = MutableLeaf(kind: kind)
        var model: [Value] = []
        for step in 0..<600 {
            let value = Samples.random(kind, using: &random)
            if model.isEmpty || Int.random(in: 0..<3, using: &random) == 0 {
                try leaf.append(value)
                model.append(value)
            } else {
                let slot = Int.random(in: 0..<model.count, using: &random)
                try leaf.set(slot, value)
                model[slot] = value
            }
            if step % 97 == 0 {
                leaf = try leaf.encode().withLeaf(kind) { MutableLeaf(decoding: $0) }
            }
        }
        #expect((0..<leaf.count).map { leaf.value(at: $0) } == model, "seed \(seed)")
        try leaf.encode().withLeaf(kind) { read in
            #expect((0..<read.count).map { read.value(at: $0) } == model, "seed \(seed)")
        }
    }

    @Test("replacing one long text many times does not make the leaf grow")
    func replacedTexts() throws {
        var leaf = MutableLeaf(kind: .string)
        try leaf.append(.string("kept"))
        try leaf.append(.string(""))
        for index in 0..<2000 { try leaf.set(1, .string(String(repeating: "x", count: 100) + "\(index)")) }
        #expect(leaf.value(at: 0) == .string("kept"))
        #expect(leaf.value(at: 1) == .string(String(repeating: "x", count: 100) + "1999"))
        #expect(leaf.encode().count < 200)
    }

    @Test(
        "outsized values lie elsewhere, and are found by their slot",
        arguments: [LeafKind.string, .data, .mixed, .list])
    func overflow(kind: LeafKind) throws {
        let plain = Samples.plain(kind)
        var leaf = MutableLeaf(kind: kind)
        for slot in 0..<150 {
            if slot % 7 == 3 {
                try leaf.append(overflow: 1000 + slot)
            } else {
                try leaf.append(slot % 5 == 0 ? .null : plain[slot % plain.count])
            }
        }
        try leaf.set(3, plain[0])
        try leaf.set(4, overflow: 77)
        try leaf.set(10, .null)
        try leaf.set(11, overflow: 78)
        try leaf.set(11, overflow: 79)
        let expected = [4: 77, 11: 79].merging(
            (0..<150).filter { $0 % 7 == 3 && $0 != 3 && $0 != 10 }.map { ($0, 1000 + $0) }
        ) { $1 }
        for _ in 0..<2 {
            let bytes = leaf.encode()
            leaf = try bytes.withLeaf(kind) { read in
                #expect(read.overflowSlots == expected.keys.sorted())
                for slot in 0..<150 {
                    #expect(read.isOverflow(slot) == (expected[slot] != nil))
                    if let size = expected[slot] {
                        #expect(read.overflowSize(slot) == size)
                        #expect(!read.isNull(slot) && read.utf8(at: slot).isEmpty, "unknown bytes read as none")
                    } else {
                        let value: Value =
                            slot == 10
                            ? .null : slot == 3 ? plain[0] : slot % 5 == 0 ? .null : plain[slot % plain.count]
                        #expect(read.value(at: slot) == value)
                    }
                }
                return MutableLeaf(decoding: read)
            }
            for slot in 0..<150 { #expect(leaf.overflowSize(slot) == expected[slot]) }
        }
        let text = Array("somewhere else".utf8)
        try leaf.encode().withLeaf(kind) { read in
            text.withUnsafeBytes { bytes in
                let overflow = expected.map { _ in bytes }
                overflow.withUnsafeBufferPointer { overflow in
                    let resolved = read.resolving(overflow)
                    for slot in 0..<150 where expected[slot] != nil {
                        #expect(Array(resolved.utf8(at: slot)) == text)
                    }
                    guard kind == .string else { return }
                    let mask = SelectionMask(capacity: 150)
                    mask.reset(slotCount: 150)
                    for slot in 0..<150 { mask.insert(slot) }
                    let scratch = SelectionMask(capacity: 150)
                    resolved.narrow(
                        mask, texts: TextPattern(.equal, "somewhere else"), inverted: false, scratch: scratch)
                    #expect(mask.population == expected.count)
                }
            }
        }
        for slot in expected.keys { try leaf.set(slot, .null) }
        #expect(try leaf.encode().withLeaf(kind) { !$0.hasOverflow })
    }
}
