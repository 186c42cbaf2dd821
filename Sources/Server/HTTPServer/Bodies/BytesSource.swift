import HTTPMessages
import Synchronization

/// Bytes in memory as a streamed body.
final class BytesSource: BodySource {
    private enum Bytes {
        case array([UInt8])
        case shared(SharedBytes)
    }

    private let bytes: Bytes
    private let count: Int
    private let offset = Atomic(0)

    private static let piece = 64 * 1024

    init(_ bytes: [UInt8]) { (self.bytes, count) = (.array(bytes), bytes.count) }

    init(_ bytes: SharedBytes) { (self.bytes, count) = (.shared(bytes), bytes.count) }

    var bytesAtHand: Int {
        if case .shared(let shared) = bytes, !shared.isForOneResponse { return 0 }
        return offset.load(ordering: .relaxed) < count ? count : 0
    }

    func next() -> [UInt8]? {
        let start = offset.load(ordering: .relaxed)
        guard start < count else { return nil }
        let end = min(start + Self.piece, count)
        offset.store(end, ordering: .relaxed)
        switch bytes {
        case .array(let array): return Array(array[start..<end])
        case .shared(let shared): return shared.withUnsafeBytes { Array($0[start..<end]) }
        }
    }
}
