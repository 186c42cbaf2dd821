import Foundation
import RepositoryFiles
import Testing

@testable import RealmFiles

@Suite("Files that are refused")
struct RefusalTests {
    private func withHeader(_ change: (inout [UInt8]) -> Void) throws -> RealmFileError? {
        var bytes = try RealmFixture(name: "owners").bytes()
        change(&bytes)
        return ValueText.fault(of: bytes)
    }

    @Test("formats before 11, from 12 to 19 and after 24, by their number", arguments: [3, 10, 12, 19, 25, 255])
    func formats(number: Int) throws {
        let fault = try withHeader {
            $0[20] = UInt8(number)
            $0[21] = UInt8(number)
        }
        #expect(fault == .unsupportedFormat(number))
        #expect(fault?.message.contains(" \(number)") == true)
    }

    @Test("the format of the other snapshot does not matter")
    func otherSnapshot() throws {
        var bytes = try RealmFixture(name: "owners").bytes()
        let other = bytes[23] & 1 == 1 ? 20 : 21
        bytes[other] = 3
        #expect(ValueText.fault(of: bytes) == nil)
    }

    @Test("what is no Realm file", arguments: [0, 1, 23, 24, 100, 4096, 8192, 12_288])
    func others(length: Int) {
        let mayBeEncrypted = length == 8192 || length == 12_288
        #expect(ValueText.fault(of: [UInt8](repeating: 7, count: length)) == .notRealm(mayBeEncrypted: mayBeEncrypted))
    }

    @Test("a file of two parts that is cut off", arguments: [0, 8, 16, 40, 160, 1584])
    func cutStream(rest: Int) throws {
        let bytes = try RealmFixture(name: "format-22").bytes()
        let fault = ValueText.fault(of: Array(bytes.prefix(24 + rest).dropLast(rest == 1584 ? 24 : 0)))
        guard case .damaged(let location, _) = fault else {
            Issue.record("\(String(describing: fault))")
            return
        }
        #expect(location == "the end")
    }

    @Test("a file that is shorter than it says")
    func cut() throws {
        let bytes = try RealmFixture(name: "owners").bytes()
        for length in [24, 32, 4096, bytes.count / 2, bytes.count - 8] {
            guard case .damaged = ValueText.fault(of: Array(bytes.prefix(length))) else {
                Issue.record("\(length) bytes were read.")
                return
            }
        }
        guard case .damaged = ValueText.fault(of: bytes.dropLast(3)) else {
            Issue.record("A length that is not a multiple of 8 was read.")
            return
        }
    }

    @Test("a path without a file, a directory and a pipe, by the system's error")
    func paths() throws {
        let directory = try TestDirectory()
        #expect(throws: RealmFileError.unreadable(code: ENOENT)) { try RealmFile(path: directory.file("none")) }
        #expect(throws: RealmFileError.unreadable(code: EISDIR)) { try RealmFile(path: directory.path) }
        let pipe = directory.file("pipe")
        #expect(mkfifo(pipe, 0o600) == 0)
        #expect(throws: RealmFileError.self) { try RealmFile(path: pipe) }
    }

    @Test("each fault has a code of its own and a sentence")
    func codes() {
        let faults: [RealmFileError] = [
            .notRealm(mayBeEncrypted: true), .notRealm(mayBeEncrypted: false), .unsupportedFormat(9),
            .unsupportedFormat(99), .wrongKey(length: 64), .wrongKey(length: 3),
            .damaged(location: "here", reason: "it is"),
            .inUse, .unreadable(code: ENOENT),
        ]
        #expect(Set(faults.map(\.code)).count == 6)
        #expect(Set(faults.map(\.message)).count == faults.count)
        for fault in faults { #expect(fault.message.hasSuffix(".") && fault.code.hasPrefix("realm_file.")) }
    }
}
