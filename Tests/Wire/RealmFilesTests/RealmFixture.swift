import Compression
import Foundation
import RepositoryFiles

/// A Realm file of this directory, with what is known to be in it.
struct RealmFixture: CustomStringConvertible, Sendable {
    let name: String

    static let all = ["empty", "owners", "format-20", "format-22", "format-23", "kinds", "many"].map { Self(name: $0) }
    /// Those that are read in milliseconds.
    static let small = ["empty", "owners", "format-20", "format-22"].map { Self(name: $0) }
    static let encrypted = Self(name: "encrypted")
    static let key = (0..<64).map { UInt8($0) }

    var description: String { name }

    func bytes() throws -> [UInt8] { try expanded("realm.gz") }

    /// What realm-core prints.
    func document() throws -> [UInt8] { try expanded("json.gz") }

    func exact() throws -> String { String(decoding: try expanded("exact.gz"), as: UTF8.self) }

    func schema() throws -> String { try Checkout.text("\(Self.directory)/\(name).schema.json") }

    private static let directory = "Tests/Wire/RealmFilesTests/Files"

    private func expanded(_ suffix: String) throws -> [UInt8] {
        let path = "\(Checkout.root)/\(Self.directory)/\(name).\(suffix)"
        let compressed = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
        return try compressed.withUnsafeBytes { try Decoder.expand($0, .gzip, limit: 1 << 24) }
    }
}
