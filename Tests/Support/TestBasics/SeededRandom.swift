/// SplitMix64: a small generator whose whole sequence follows from the seed, so that a failure can be repeated.
package struct SeededRandom: RandomNumberGenerator, Sendable {
    package let seed: UInt64
    private var state: UInt64

    package init(seed: UInt64) {
        self.seed = seed
        state = seed
    }

    /// The generator of the calling test, with the seed that `TestSeed.of` gives it.
    package static func ofTest(
        _ argument: some Any = "", fileID: StaticString = #fileID, function: StaticString = #function
    ) -> SeededRandom {
        SeededRandom(seed: TestSeed.of(argument, fileID: fileID, function: function))
    }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// True once in `n` times.
    package mutating func oneIn(_ n: Int) -> Bool { below(n) == 0 }

    /// 0..<n; 0 for n of 0.
    package mutating func below(_ n: Int) -> Int { n <= 0 ? 0 : Int.random(in: 0..<n, using: &self) }

    package mutating func pick<C: Collection>(_ choices: C) -> C.Element? { choices.randomElement(using: &self) }

    /// `count` random bytes.
    package mutating func bytes(_ count: Int) -> [UInt8] {
        (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &self) }
    }
}
