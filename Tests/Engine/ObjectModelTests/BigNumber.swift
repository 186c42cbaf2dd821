/// A whole number of any size, slow and simple: the reference for exact comparisons.
struct BigNumber {
    /// Base 10^9, least first, without zeros at the end.
    private var limbs: [UInt64] = []

    init(_ value: UInt128) {
        var rest = value
        while rest > 0 {
            limbs.append(UInt64(rest % 1_000_000_000))
            rest /= 1_000_000_000
        }
    }

    mutating func multiply(by factor: UInt64, times: Int = 1) {
        for _ in 0..<times {
            var carry: UInt64 = 0
            for index in limbs.indices {
                let product = limbs[index] * factor + carry
                limbs[index] = product % 1_000_000_000
                carry = product / 1_000_000_000
            }
            if carry > 0 { limbs.append(carry) }
        }
    }

    var isZero: Bool { limbs.isEmpty }

    static func order(_ a: BigNumber, _ b: BigNumber) -> Int {
        if a.limbs.count != b.limbs.count { return a.limbs.count < b.limbs.count ? -1 : 1 }
        for (left, right) in zip(a.limbs.reversed(), b.limbs.reversed()) where left != right {
            return left < right ? -1 : 1
        }
        return 0
    }
}

/// A finite number, as sign, whole number, power of two and power of ten.
struct ExactNumber {
    var isNegative: Bool
    var digits: UInt128
    var two = 0
    var ten = 0

    init(_ value: Double) {
        isNegative = value.sign == .minus
        guard value != 0 else {
            digits = 0
            return
        }
        // A subnormal number has fewer bits, all of which are in its pattern.
        let fraction = value.bitPattern & (1 << 52 - 1)
        let raised = Int(value.bitPattern >> 52 & 0x7FF)
        digits = UInt128(raised == 0 ? fraction : fraction | 1 << 52)
        two = max(raised, 1) - 1075
    }

    init(_ value: Int64) {
        isNegative = value < 0
        digits = UInt128(value.magnitude)
    }

    /// Parses `-12.5E+3` and the like, as `Decimal128.description` writes it.
    init(decimal text: String) {
        isNegative = text.hasPrefix("-")
        let parts = text.drop { $0 == "-" }.split(separator: "E")
        let number = parts[0].split(separator: ".")
        digits = UInt128(number.joined()) ?? 0
        ten = (parts.count > 1 ? Int(parts[1]) ?? 0 : 0) - (number.count > 1 ? number[1].count : 0)
    }

    static func order(_ a: ExactNumber, _ b: ExactNumber) -> Int {
        let two = min(a.two, b.two)
        let ten = min(a.ten, b.ten)
        func whole(_ number: ExactNumber) -> BigNumber {
            var result = BigNumber(number.digits)
            result.multiply(by: 1 << 20, times: (number.two - two) / 20)
            result.multiply(by: 2, times: (number.two - two) % 20)
            result.multiply(by: 1_000_000_000, times: (number.ten - ten) / 9)
            result.multiply(by: 10, times: (number.ten - ten) % 9)
            return result
        }
        let left = whole(a)
        let right = whole(b)
        if left.isZero && right.isZero { return 0 }
        // Zero has no sign here.
        let isNegative = (left.isZero ? false : a.isNegative, right.isZero ? false : b.isNegative)
        switch isNegative {
        case (true, false): return -1
        case (false, true): return 1
        case (true, true): return BigNumber.order(right, left)
        case (false, false): return BigNumber.order(left, right)
        }
    }
}
