import CKernels
package import ObjectModel

/// A range of decimals, prepared for columns: what digits lie in it, for each of the exponents that people use.
/// Making one costs a few microseconds.
package struct DecimalTable: Sendable {
    fileprivate let range: DecimalRange
    /// Low and high end by exponent.
    fileprivate let ends: [Int128]

    private static let lowestExponent = -24
    /// As the encoding has it.
    fileprivate static let firstExponent = UInt32(lowestExponent + 6176)

    package init(_ range: DecimalRange) {
        self.range = range
        var ends: [Int128] = []
        ends.reserveCapacity(2 * Int(RK_DECIMAL_EXPONENTS))
        for place in 0..<Int(RK_DECIMAL_EXPONENTS) {
            let (low, high) = range.coefficients(exponent: Self.lowestExponent + place)
            ends.append(low)
            ends.append(high)
        }
        self.ends = ends
    }
}

extension Leaf {
    /// Keeps the slots whose decimal lies in the range, or, inverted, all others. A null lies in no range, and
    /// neither does a NaN. `scratch` is overwritten.
    package func narrow(_ mask: SelectionMask, decimals table: DecimalTable, inverted: Bool, scratch: SelectionMask) {
        precondition(kind == .decimal128, "not a decimal leaf")
        checkSlots(mask)
        scratch.reset(slotCount: count)
        if count > 0, !table.range.isEmpty {
            table.ends.withUnsafeBytes { ends in
                guard let ends = ends.baseAddress else { return }
                withUnsafeTemporaryAllocation(of: UInt64.self, capacity: maskWordCount(count)) { odd in
                    guard let odd = odd.baseAddress else { return }
                    let anyOdd = rk_select_decimals(
                        values, count, DecimalTable.firstExponent, ends, scratch.words, odd)
                    if anyOdd != 0 { selectOdd(odd, table.range, in: scratch) }
                }
            }
        }
        finish(mask, scratch, inverted)
    }

    /// Decides those that the kernel could not.
    private func selectOdd(_ odd: UnsafePointer<UInt64>, _ range: DecimalRange, in scratch: SelectionMask) {
        for index in 0..<scratch.wordCount {
            var word = odd[index]
            while word != 0 {
                let slot = index << 6 + word.trailingZeroBitCount
                if range.contains(decimal(at: slot)) { scratch.insert(slot) }
                word &= word - 1
            }
        }
    }
}
