// The standard library decomposes text only in this SPI: an independent implementation.
@_spi(_Unicode) import Swift

import Columnar
import StoreTesting
import Testing
import TestBasics

@Suite("Text that differs by case or diacritics alone")
struct TextFoldingTests {
    static func folded(_ text: String, _ ignoresCase: Bool, _ ignoresDiacritics: Bool) -> String {
        let folding = TextFolding(ignoresCase: ignoresCase, ignoresDiacritics: ignoresDiacritics)
        return String(decoding: folding.folded(text.utf8), as: UTF8.self)
    }

    @Test(
        "letters that differ by case are one, scalar by scalar",
        arguments: [
            ("RÄKSMÖRGÅS", "räksmörgås"), ("Σίσυφος", "ΣΊΣΥΦΟΣ"), ("ſ", "S"), ("\u{212A}", "k"), ("µ", "Μ"), ("Ǆ", "ǆ"),
            ("ǅ", "ǆ"), ("ЁЖ", "ёж"), ("ẞ", "ß"), ("Ⱥ", "ⱥ"), ("Ꭰ", "ꭰ"), ("𐐀", "𐐨"), ("ĄĘ", "ąę"), ("×÷", "×÷"),
        ])
    func oneByCase(_ a: String, _ b: String) {
        #expect(Self.folded(a, true, false).utf8.elementsEqual(Self.folded(b, true, false).utf8))
    }

    @Test(
        "others are not",
        arguments: [("ß", "ss"), ("é", "e"), ("ı", "i"), ("İ", "i"), ("×", "÷"), ("ŉ", "n"), ("a", "b"), ("@", "`")])
    func notOneByCase(_ a: String, _ b: String) {
        #expect(!Self.folded(a, true, false).utf8.elementsEqual(Self.folded(b, true, false).utf8))
    }

    @Test(
        "marks are left out, precomposed or not",
        arguments: [
            ("Crème Brûlée", "Creme Brulee"), ("e\u{301}\u{323}", "e"), ("Tiếng Việt", "Tieng Viet"), ("ΐάὧ", "ιαω"),
            ("Йод ё", "Иод е"), ("한국어", "한국어"), ("Øłđß", "Øłđß"), ("\u{212B}ngström", "Angstrom"), ("が", "か"),
            ("\u{301}", ""), ("日本語", "日本語"), ("a\u{20DD}", "a"),
        ])
    func diacritics(_ text: String, _ expected: String) {
        #expect(Self.folded(text, false, true).utf8.elementsEqual(expected.utf8))
    }

    @Test("folding by case and diacritics removes the marks first")
    func both() {
        #expect(Self.folded("ΆΣ É Ǖ İ", true, true) == "ας e u i".replacing("ς", with: "σ"))
    }

    @Test("every scalar is folded by the standard library's mappings and decompositions")
    func everyScalar() {
        func single(_ text: String) -> Unicode.Scalar? {
            text.unicodeScalars.count == 1 ? text.unicodeScalars.first : nil
        }
        // Handled explicitly, or left alone: see CaseFolding.
        let exceptions: Set<UInt32> = [0x131, 0x1FD3, 0x1FE3, 0xFB05]
        for value in (0x80 as UInt32)..<0x20000 where !exceptions.contains(value) {
            guard let scalar = Unicode.Scalar(value) else { continue }
            let upper = single(scalar.properties.uppercaseMapping) ?? scalar
            let expected = single(upper.properties.lowercaseMapping) ?? upper
            let text = String(scalar)
            #expect(
                Self.folded(text, true, false).unicodeScalars.elementsEqual([expected]), "\(String(value, radix: 16))")
            // Some consist of letters and no marks, and doubles of ideographs stay apart.
            if [0xAC00..<0xD7A4, 0xF900..<0xFB00, 0x16D68..<0x16D6B].contains(where: { $0.contains(value) }) {
                continue
            }
            let bare = text._nfd.filter {
                switch $0.properties.generalCategory {
                case .nonspacingMark, .spacingMark, .enclosingMark: false
                default: true
                }
            }
            #expect(Self.folded(text, false, true).unicodeScalars.elementsEqual(bare), "\(String(value, radix: 16))")
        }
    }

    @Test(
        "bytes that are no UTF-8 stay as they are",
        arguments: [
            [0xFF, 0x41], [0xC3], [0xC3, 0x41], [0xE0, 0x80, 0x80], [0xED, 0xA0, 0x80], [0xF0, 0x9F, 0x98],
            [0x80, 0x42],
            [0xF5, 0x80, 0x80, 0x80], [0xC0, 0xAF],
        ] as [[UInt8]])
    func notUTF8(_ bytes: [UInt8]) {
        let folding = TextFolding(ignoresCase: true, ignoresDiacritics: true)
        #expect(folding.folded(bytes) == bytes.map { (0x41...0x5A).contains($0) ? $0 + 0x20 : $0 })
    }
}

@Suite("Patterns of text")
struct TextPatternTests {
    static let alphabet = [
        "a", "A", "b", "é", "É", "e", "E", "\u{301}", "σ", "ς", "Σ", "K", "\u{212A}", "日", "x", "*", "?",
    ]

    static func text(_ random: inout SeededRandom, _ limit: Int) -> String {
        var text = String.UnicodeScalarView()
        let letters = Bool.random(using: &random) ? alphabet : Array(alphabet.prefix(3))
        for _ in 0..<Int.random(in: 0...limit, using: &random) {
            text.append(contentsOf: (letters.randomElement(using: &random) ?? "").unicodeScalars)
        }
        return String(text)
    }

    /// Applies the test to folded scalars, in the simplest way.
    static func holds(_ test: TextPattern.Test, _ text: String, _ pattern: String) -> Bool {
        let a = Array(text.utf8)
        let b = Array(pattern.utf8)
        switch test {
        case .equal: return a == b
        case .less: return a.lexicographicallyPrecedes(b)
        case .lessOrEqual: return !b.lexicographicallyPrecedes(a)
        case .greater: return b.lexicographicallyPrecedes(a)
        case .greaterOrEqual: return !a.lexicographicallyPrecedes(b)
        case .prefix: return a.starts(with: b)
        case .suffix: return a.reversed().starts(with: b.reversed())
        case .contains: return b.isEmpty || a.indices.contains { a[$0...].starts(with: b) }
        case .like: return like(Array(text.unicodeScalars)[...], Array(pattern.unicodeScalars)[...])
        }
    }

    static func like(_ text: ArraySlice<Unicode.Scalar>, _ pattern: ArraySlice<Unicode.Scalar>) -> Bool {
        guard let first = pattern.first else { return text.isEmpty }
        if first == "*" {
            return (text.startIndex...text.endIndex).contains { like(text[$0...], pattern.dropFirst()) }
        }
        guard let letter = text.first, first == "?" || first == letter else { return false }
        return like(text.dropFirst(), pattern.dropFirst())
    }

    @Test("every test agrees with the simplest implementation", arguments: [false, true], [false, true])
    func agreement(_ ignoresCase: Bool, _ ignoresDiacritics: Bool) {
        let seed = TestSeed.of("\(ignoresCase) \(ignoresDiacritics)")
        var random = SeededRandom(seed: seed)
        let tests: [TextPattern.Test] = [
            .equal, .less, .lessOrEqual, .greater, .greaterOrEqual, .prefix, .suffix, .contains, .like,
        ]
        for _ in 0..<3000 {
            let text = Self.text(&random, 40)
            let pattern = Self.text(&random, 4)
            for test in tests {
                let isOrder = [.less, .lessOrEqual, .greater, .greaterOrEqual].contains(test)
                func folded(_ text: String) -> String {
                    isOrder ? text : TextFoldingTests.folded(text, ignoresCase, ignoresDiacritics)
                }
                let compiled = TextPattern(
                    test, pattern, ignoresCase: ignoresCase, ignoresDiacritics: ignoresDiacritics)
                #expect(
                    compiled.matches(text) == Self.holds(test, folded(text), folded(pattern)),
                    "seed \(seed): \(test) '\(text)' '\(pattern)'")
            }
        }
    }

    @Test("LIKE agrees with the simplest implementation where texts are made of a pattern's own parts")
    func like() {
        var random = SeededRandom.ofTest()
        print("TextFoldingTests seed \(random.seed)")
        let letters: [Character] = ["a", "b", "A", "é", "日", "?", "*", "*"]
        func text(_ most: Int, _ letters: [Character]) -> String {
            String(
                (0..<Int(random.next() % UInt64(most + 1))).map { _ in
                    letters[Int(random.next() % UInt64(letters.count))]
                })
        }
        var matched = 0
        for _ in 0..<20_000 {
            let pattern = text(8, letters)
            // Each `*` becomes some letters, each `?` one; now and then a letter goes or comes.
            var made = pattern.map { $0 == "*" ? text(3, Array(letters.prefix(5))) : $0 == "?" ? "é" : String($0) }
            if random.next() % 2 == 0, !made.isEmpty {
                made[Int(random.next() % UInt64(made.count))] = text(1, letters)
            }
            let text = made.joined()
            for ignoresCase in [false, true] {
                let holds = TextPattern(.like, pattern, ignoresCase: ignoresCase).matches(text)
                let folded = { (text: String) in TextFoldingTests.folded(text, ignoresCase, false) }
                #expect(holds == Self.holds(.like, folded(text), folded(pattern)), "\(text) LIKE \(pattern)")
                if holds { matched += 1 }
            }
        }
        #expect(matched > 10_000 && matched < 38_000)
    }

    @Test(
        "a part is found at any position of texts of any length, in either case", arguments: [1, 2, 3, 15, 16, 17, 33])
    func everyPlace(_ length: Int) {
        let letters: [Character] = ["q", "r", "s", "t", "u", "v", "w", "z"]
        let needle = String((0..<length).map { letters[$0 % letters.count] })
        for total in length...length + 50 {
            for start in 0...total - length {
                var text = String(repeating: "-", count: start) + needle
                text += String(repeating: "-", count: total - length - start)
                #expect(TextPattern(.contains, needle).matches(text))
                #expect(TextPattern(.contains, needle.uppercased(), ignoresCase: true).matches(text))
                #expect(TextPattern(.contains, needle, ignoresCase: true).matches(text.uppercased()))
                #expect(!TextPattern(.contains, needle).matches(text.uppercased()))
                #expect(!TextPattern(.contains, needle + "x", ignoresCase: true).matches(text))
            }
        }
    }

    @Test(
        "data is tested by bytes; a question mark takes what its first byte says",
        arguments: [
            (.like, [0xC3, 0xA9], "?", true), (.like, [0xC3], "?", false), (.like, [0xA9], "?", true),
            (.like, [0xE6, 0x97, 0xA5, 0x41], "?A", true), (.like, [0x41, 0xFF, 0x42], "A*B", true),
            (.like, [0xE6, 0x97, 0xA5], "*?", true), (.contains, [1, 2, 3], "\u{2}", true), (.prefix, [], "", true),
            (.equal, [0x41], "a", false),
        ] as [(TextPattern.Test, [UInt8], String, Bool)])
    func data(_ test: TextPattern.Test, _ bytes: [UInt8], _ pattern: String, _ expected: Bool) {
        let compiled = TextPattern(test, data: Array(pattern.utf8))
        #expect(bytes.withUnsafeBufferPointer { compiled.matches($0) } == expected)
    }

    @Test("for data only ASCII letters are folded")
    func dataFolding() {
        let compiled = TextPattern(.equal, data: Array("aÉ".utf8), ignoresCase: true)
        #expect(Array("AÉ".utf8).withUnsafeBufferPointer { compiled.matches($0) })
        #expect(!Array("Aé".utf8).withUnsafeBufferPointer { compiled.matches($0) })
    }
}
