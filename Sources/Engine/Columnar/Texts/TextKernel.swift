import CKernels

/// Searches all texts of an area for a text: the fastest kernel that the processor supports, or one of those that it is
/// tested against.
package enum TextKernel: Sendable, CaseIterable {
    case best
    /// With 16 bytes at a time, as on arm64 and on x86-64 without AVX2.
    case blocks
    case portable

    /// The required position of the needle in a text.
    package enum Anchor: Sendable {
        case start
        case end
        case anywhere
        /// The needle is the whole text.
        case whole

        var code: rk_text_anchor {
            switch self {
            case .start: rk_text_start
            case .end: rk_text_end
            case .anywhere: rk_text_anywhere
            case .whole: rk_text_anchor(rk_text_start.rawValue | rk_text_end.rawValue)
            }
        }
    }

    /// Marks the texts that contain the needle, which must not be empty, and must be in lower case when the case of
    /// ASCII letters is ignored. `offsets` are `count` + 1 positions in the area, of 16 or 32 bits each, possibly
    /// unaligned; damaged ones give wrong marks, never a fault. Writes one bit per text, and clears the bits after them
    /// in the last word.
    package func mark(
        _ area: UnsafeBufferPointer<UInt8>, offsets: UnsafeRawPointer, width: Int, count: Int,
        _ needle: UnsafeBufferPointer<UInt8>, _ anchor: Anchor, foldsASCIICase: Bool,
        into mask: UnsafeMutablePointer<UInt64>
    ) {
        guard let start = area.baseAddress, let wanted = needle.baseAddress else {
            return mask.update(repeating: 0, count: maskWordCount(count))
        }
        let run =
            switch self {
            case .best: rk_mark_texts
            case .blocks: rk_mark_texts_blocks
            case .portable: rk_mark_texts_portable
            }
        run(
            start, area.count, offsets, UInt32(width), count, wanted, needle.count, foldsASCIICase ? 1 : 0, anchor.code,
            mask)
    }
}
