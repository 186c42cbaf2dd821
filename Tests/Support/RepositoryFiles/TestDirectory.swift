import Foundation

/// A directory that goes away with the test.
package final class TestDirectory: Sendable {
    package let path: String

    /// The path is short: that of a socket in it has at most 107 bytes.
    package init() throws {
        var template = (NSTemporaryDirectory() + "realmgate-XXXXXX").utf8CString.map { $0 }
        guard mkdtemp(&template) != nil else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    package func file(_ name: String) -> String { path + "/" + name }

    @discardableResult
    package func write(_ text: String, to name: String) throws -> String {
        try text.write(toFile: file(name), atomically: false, encoding: .utf8)
        return file(name)
    }
}
