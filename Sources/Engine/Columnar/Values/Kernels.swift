import CKernels

/// The C kernels: the fastest that the processor supports, or the portable ones that they are tested against.
///
/// Values may be unaligned. Masks have one bit per value, in words; a nil mask means all. Bits beyond the count are
/// ignored in masks that are read and cleared in masks that are written. `width` is the bits of a value: 8, 16, 32 or
/// 64 for unsigned integers, 32 or 64 for floating ones.
//
// Sendable: the table is a constant of the C library.
package struct Kernels: @unchecked Sendable {
    private let table: UnsafePointer<rk_kernels>

    package static let best = Kernels(table: rk_best_kernels())
    package static let portable = Kernels(table: rk_portable_kernels())

    private init(table: UnsafePointer<rk_kernels>) { self.table = table }

    // MARK: Making masks

    /// Selects low...low + span; the sum must fit the width.
    package func select(
        _ values: UnsafeRawPointer, _ count: Int, width: Int, from low: UInt64, span: UInt64,
        into mask: UnsafeMutablePointer<UInt64>
    ) {
        let run = table.pointee
        switch width {
        case 8:
            run.in_range_u8(values, count, UInt8(truncatingIfNeeded: low), UInt8(truncatingIfNeeded: span), mask)
        case 16:
            run.in_range_u16(values, count, UInt16(truncatingIfNeeded: low), UInt16(truncatingIfNeeded: span), mask)
        case 32:
            run.in_range_u32(values, count, UInt32(truncatingIfNeeded: low), UInt32(truncatingIfNeeded: span), mask)
        default: run.in_range_u64(values, count, low, span, mask)
        }
    }

    /// Selects low...high; never a NaN.
    package func select(
        doubles values: UnsafeRawPointer, _ count: Int, _ low: Double, _ high: Double,
        into mask: UnsafeMutablePointer<UInt64>
    ) {
        table.pointee.in_range_f64(values, count, low, high, mask)
    }

    /// Selects low...high; never a NaN.
    package func select(
        floats values: UnsafeRawPointer, _ count: Int, _ low: Float, _ high: Float,
        into mask: UnsafeMutablePointer<UInt64>
    ) {
        table.pointee.in_range_f32(values, count, low, high, mask)
    }

    /// Selects the bytes whose entry in the table of 256 is not 0.
    package func select(
        codes values: UnsafeRawPointer, _ count: Int, in entries: UnsafePointer<UInt8>,
        into mask: UnsafeMutablePointer<UInt64>
    ) {
        table.pointee.in_table_u8(values, count, entries, mask)
    }

    /// Selects the values, of 16 or 32 bits, for which bit base + value, wrapping, of `bits` is set.
    package func select(
        _ values: UnsafeRawPointer, _ count: Int, width: Int, plus base: Int64, in bits: UnsafeBufferPointer<UInt64>,
        into mask: UnsafeMutablePointer<UInt64>
    ) {
        guard let words = bits.baseAddress else { return mask.update(repeating: 0, count: maskWordCount(count)) }
        let base = UInt64(bitPattern: base)
        let bitCount = UInt64(bits.count) * 64
        if width == 16 {
            table.pointee.in_bits_u16(values, count, base, words, bitCount, mask)
        } else {
            table.pointee.in_bits_u32(values, count, base, words, bitCount, mask)
        }
    }

    /// Expands values of 1, 2 or 4 bits to bytes.
    package func unpack(_ values: UnsafeRawPointer, _ count: Int, width: Int, into bytes: UnsafeMutablePointer<UInt8>) {
        table.pointee.unpack(values, count, UInt32(width), bytes)
    }

    // MARK: Masks

    package func population(_ words: UnsafePointer<UInt64>, _ count: Int) -> Int {
        Int(table.pointee.popcount(words, count))
    }

    package func intersect(
        _ words: UnsafeMutablePointer<UInt64>, with other: UnsafePointer<UInt64>, _ count: Int
    ) {
        table.pointee.mask_and(words, other, count)
    }

    package func unite(_ words: UnsafeMutablePointer<UInt64>, with other: UnsafePointer<UInt64>, _ count: Int) {
        table.pointee.mask_or(words, other, count)
    }

    package func subtract(_ other: UnsafePointer<UInt64>, from words: UnsafeMutablePointer<UInt64>, _ count: Int) {
        table.pointee.mask_andnot(words, other, count)
    }

    // MARK: Sums and bounds

    /// The exact sum.
    package func sum(_ values: UnsafeRawPointer, _ count: Int, width: Int, _ mask: UnsafePointer<UInt64>?) -> Int128 {
        switch width {
        case 8: return Int128(table.pointee.sum_u8(values, count, mask))
        case 16: return Int128(table.pointee.sum_u16(values, count, mask))
        case 32: return Int128(table.pointee.sum_u32(values, count, mask))
        default:
            let sum = table.pointee.sum_u64(values, count, mask)
            return Int128(sum.high) << 32 + Int128(sum.low)
        }
    }

    /// The smallest and largest value, and their number; without any, `minimum` is above `maximum`.
    package func bounds(
        _ values: UnsafeRawPointer, _ count: Int, width: Int, _ mask: UnsafePointer<UInt64>?
    ) -> (minimum: UInt64, maximum: UInt64, count: Int) {
        let bounds =
            switch width {
            case 8: table.pointee.bounds_u8(values, count, mask)
            case 16: table.pointee.bounds_u16(values, count, mask)
            case 32: table.pointee.bounds_u32(values, count, mask)
            default: table.pointee.bounds_u64(values, count, mask)
            }
        return (bounds.minimum, bounds.maximum, Int(bounds.count))
    }

    /// The sum in double precision of the values that are not NaN, and their number.
    package func floatingSum(
        _ values: UnsafeRawPointer, _ count: Int, width: Int, _ mask: UnsafePointer<UInt64>?
    ) -> (sum: Double, count: Int) {
        let result =
            width == 64 ? table.pointee.sum_f64(values, count, mask) : table.pointee.sum_f32(values, count, mask)
        return (result.sum, Int(result.count))
    }

    /// The smallest and largest of the values that are not NaN, and their number.
    package func floatingBounds(
        _ values: UnsafeRawPointer, _ count: Int, width: Int, _ mask: UnsafePointer<UInt64>?
    ) -> (minimum: Double, maximum: Double, count: Int) {
        let bounds =
            width == 64 ? table.pointee.bounds_f64(values, count, mask) : table.pointee.bounds_f32(values, count, mask)
        return (bounds.minimum, bounds.maximum, Int(bounds.count))
    }
}
