import Foundation
import Glibc
import Testing

@testable import Files

@Suite("Files that are replaced as a whole")
struct FileReplacementTests {
    private let directory: URL
    private var path: String { directory.appending(path: "keys.json").path }

    init() throws {
        directory = FileManager.default.temporaryDirectory.appending(path: "files-test-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    }

    private func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted()
    }

    /// The system calls, in order; the call with the number `failing` fails.
    private final class Calls {
        var log: [String] = []
        var failing: Int?
        var code: Int32 = ENOSPC
        /// The maximum number of bytes that one call writes.
        var atMost = Int.max

        private func fails(_ call: String) -> Bool {
            log.append(call)
            guard failing == log.count - 1 else { return false }
            errno = code
            return true
        }

        private func isDirectory(_ descriptor: Int32) -> Bool {
            var status = stat()
            return fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
        }

        var calls: FileCalls {
            FileCalls(
                write: { descriptor, bytes in
                    self.fails("write") ? -1 : Glibc.write(descriptor, bytes.baseAddress, min(self.atMost, bytes.count))
                },
                sync: { descriptor in
                    self.fails(self.isDirectory(descriptor) ? "sync directory" : "sync file") ? -1 : fsync(descriptor)
                }, rename: { self.fails("rename") ? -1 : Glibc.rename($0, $1) })
        }
    }

    @Test("the contents are synced before the rename, and the directory after it")
    func order() throws {
        let calls = Calls()
        try WholeFile.replace(path, with: Array("one".utf8), calls.calls)
        #expect(calls.log == ["write", "sync file", "rename", "sync directory"])
        try WholeFile.replace(path, with: [], calls.calls)
        #expect(calls.log.dropFirst(4) == ["sync file", "rename", "sync directory"])
        #expect(try WholeFile.read(path) == [])
        #expect(try names() == ["keys.json"])
    }

    @Test(
        "whatever call fails, either the old or the new file is there, complete", arguments: [true, false])
    func faults(exists: Bool) throws {
        let old: [UInt8]? = exists ? Array("the old ones".utf8) : nil
        let new = Array("those that are new now".utf8)
        var counted = 0
        for failing in 0... {
            if let old { try WholeFile.replace(path, with: old) } else { unlink(path) }
            let calls = Calls()
            calls.failing = failing
            calls.atMost = 5
            do {
                try WholeFile.replace(path, with: new, calls.calls)
                #expect(calls.log.count == failing)
                break
            } catch {
                counted += 1
                #expect(error.code == ENOSPC)
                let last = calls.log.last
                #expect(try WholeFile.read(path) == (last == "sync directory" ? new : old), "failed: \(last ?? "")")
                #expect(try names() == (exists || last == "sync directory" ? ["keys.json"] : []))
            }
        }
        // Five pieces and three more calls.
        #expect(counted == 8)
        #expect(try WholeFile.read(path) == new)
    }

    @Test("an interrupted call is repeated")
    func interruption() throws {
        let calls = Calls()
        calls.failing = 0
        calls.code = EINTR
        try WholeFile.replace(path, with: Array("one".utf8), calls.calls)
        #expect(calls.log.filter { $0 == "write" }.count == 2)
        #expect(try WholeFile.read(path) == Array("one".utf8))
    }

    @Test("only its owner can read the file, even if a draft for all was left behind")
    func rights() throws {
        let draft = path + ".new"
        try Data("left behind, and longer than what comes".utf8).write(to: URL(filePath: draft))
        chmod(draft, 0o666)
        try WholeFile.replace(path, with: Array("secret".utf8))
        var status = stat()
        #expect(stat(path, &status) == 0 && status.st_mode & 0o777 == 0o600)
        #expect(try WholeFile.read(path) == Array("secret".utf8))
        #expect(try names() == ["keys.json"])
    }

    @Test("an unfinished file does not appear, and leaves nothing behind")
    func abandoned() throws {
        try WholeFile.replace(path, with: Array("old".utf8))
        do {
            let file = try FileReplacement(path, suffix: ".part", mode: 0o644)
            try file.write(Array("half".utf8))
            #expect(try names() == ["keys.json", "keys.json.part"])
        }
        #expect(try names() == ["keys.json"])
        #expect(try WholeFile.read(path) == Array("old".utf8))
    }

    @Test(
        "of a file beyond the limit one byte more is read, which shows that it is longer",
        arguments: [0, 4, 5, 6, 70_000])
    func limit(limit: Int) throws {
        let bytes = Array("12345".utf8)
        try WholeFile.replace(path, with: bytes)
        #expect(try WholeFile.read(path, limit: limit) == Array(bytes.prefix(limit + 1)))
        let long = [UInt8](repeating: 7, count: 200_000)
        try WholeFile.replace(path, with: long)
        #expect(try WholeFile.read(path, limit: limit)?.count == limit + 1)
    }

    @Test("a missing file reads as nil, and errors of reading and writing name the file")
    func named() throws {
        #expect(try WholeFile.read(path) == nil)
        #expect(throws: FileError(.read, directory.path, EISDIR)) { try WholeFile.read(directory.path) }
        let lost = directory.path + "/lost/keys.json"
        #expect(throws: FileError(.open, lost + ".new", ENOENT)) { try WholeFile.replace(lost, with: []) }
        #expect(FileError(.write, "/a", ENOSPC).description == "Cannot write '/a': No space left on device.")
    }

    @Test(
        "the directory of a path",
        arguments: [("/a/b", "/a"), ("/a", "/"), ("a", "."), ("a/b/c", "a/b"), ("./a", ".")])
    func directory(path: String, directory: String) { #expect(Directory.of(path) == directory) }
}
