import HTTPMessages
import ObjectModel
import WriteRequests

extension Response {
    /// Identifies what it shows, whatever version that is of; nil for a body that is written while it is sent.
    ///
    /// - Parameter isObject: whether it is an object of the database, whose members are all its own.
    func content(isObject: Bool) -> UInt64? {
        func content(_ all: UnsafeBufferPointer<UInt8>) -> UInt64 {
            Fingerprint.of(isObject ? all : all.withoutVersion)
        }
        return switch body {
        case .bytes(let bytes): bytes.withUnsafeBufferPointer(content)
        case .shared(let bytes):
            bytes.withUnsafeBytes { all in all.withMemoryRebound(to: UInt8.self, content) }
        case .empty, .pieces: nil
        }
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// A response without its version at the beginning, and without the cursor at the end of a page, which has the
    /// version, too.
    fileprivate var withoutVersion: UnsafeBufferPointer<UInt8> {
        var (start, end) = (0, count)
        if starts(with: #"{"version":"#.utf8) { start = firstIndex(of: UInt8(ascii: ",")) ?? start }
        let quote = UInt8(ascii: "\"")
        if suffix(2).elementsEqual(#""}"#.utf8), let open = self[..<(count - 2)].lastIndex(of: quote),
            self[..<open].suffix(8).elementsEqual(#","next":"#.utf8)
        {
            end = open
        }
        return UnsafeBufferPointer(rebasing: self[start..<Swift.max(start, end)])
    }
}
