import EmbeddedStore
import Foundation
import JSONCoding
import ObjectModel
import RealmFileKeys
import RealmFiles
import RealmImport
import RepositoryFiles
import StoreContract
import Testing
import Transfer

/// The Realm files of the repository, which the tests of `RealmFiles` have, and what realm-core says is in them.
enum RealmTestFile {
    private static func packed(_ name: String) throws -> [UInt8] {
        let path = Checkout.root + "/Tests/Wire/RealmFilesTests/Files/" + name + ".gz"
        return try ByteSource(path: path).readAll(limit: 64 << 20)
    }

    /// Unpacks a file. Returns its path.
    static func path(_ name: String, in directory: TestDirectory) throws -> String {
        let path = directory.file(name + ".realm")
        if !FileManager.default.fileExists(atPath: path) {
            try Data(try packed(name + ".realm")).write(to: URL(fileURLWithPath: path))
        }
        return path
    }

    static func bytes(_ name: String) throws -> [UInt8] { try packed(name + ".realm") }

    /// A file of the repository in which some bytes, which it has once, are others.
    static func altered(_ name: String, _ old: String, to new: [UInt8]) throws -> RealmFile {
        var bytes = try packed(name + ".realm")
        let places = bytes.indices.dropLast(old.utf8.count).filter { bytes[$0...].starts(with: old.utf8) }
        #expect(places.count == 1)
        bytes.replaceSubrange(try #require(places.first)..<(places[0] + old.utf8.count), with: new)
        return try RealmFile(bytes: bytes)
    }

    static func open(_ name: String, in directory: TestDirectory, key: [UInt8]? = nil) throws -> RealmFile {
        try RealmFile(path: try path(name, in: directory), key: key)
    }

    /// The objects of each table, as realm-core prints them.
    static func oracle(_ name: String) throws -> [String: [JSONValue]] {
        let text = escapingControls(try packed(name + ".json"))
        guard case .object(let tables) = try JSONValue.parse(text) else { return [:] }
        return Dictionary(
            uniqueKeysWithValues: tables.members.map { member in
                guard case .array(let objects) = member.value else { return (member.name, []) }
                return (member.name, objects)
            })
    }

    /// realm-core escapes only some control characters.
    private static func escapingControls(_ bytes: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        var isInString = false
        var isEscaped = false
        for byte in bytes {
            if isInString, byte < 0x20 {
                result += Array(String(format: "\\u%04x", byte).utf8)
            } else {
                result.append(byte)
            }
            if isEscaped {
                isEscaped = false
            } else if byte == UInt8(ascii: "\\") {
                isEscaped = isInString
            } else if byte == UInt8(ascii: "\"") {
                isInString.toggle()
            }
        }
        return result
    }

    /// A new store in a directory, which goes with the test.
    static func store(_ directory: TestDirectory, _ name: String = "store", schema: Schema = .empty) throws
        -> EmbeddedStore
    {
        try EmbeddedStore.open(path: directory.file(name), schema: schema)
    }

    /// What is wrong with what a store has.
    static func faults(of store: any Store, _ directory: TestDirectory) throws -> [String] {
        let copy = directory.file("copy")
        try store.writeCopy(to: copy, progress: nil)
        return try store.checkCopy(at: copy) { _ in }.faults
    }

    @discardableResult
    static func importing(
        _ name: String, _ selection: RealmSelection = RealmSelection(), in directory: TestDirectory,
        into store: any Store, _ policy: UpdatePolicy = .error
    ) throws -> RealmImportReport {
        let file = try open(name, in: directory)
        return try RealmImporter(file, try RealmClasses(file, selection), into: store, policy).run()
    }
}
