import Glibc
import LMDBStorage
import RepositoryFiles
import Testing

@Suite("Marks of open files")
struct FilePresenceTests {
    @Test("a file that others have open is nobody's alone, until they have closed it")
    func presence() throws {
        let directory = try TestDirectory()
        let path = directory.file("file")
        var first: FilePresence? = try FilePresence.acquire(path)
        let second = try FilePresence.acquire(path)
        #expect(first?.identity == second.identity)
        #expect(!second.becomeExclusive())
        #expect(try FilePresence.acquireExclusively(path) == nil)
        first = nil
        #expect(second.becomeExclusive())
        #expect(try FilePresence.acquireExclusively(path) == nil)
        second.becomeShared()
        #expect(try FilePresence.acquire(path).identity == second.identity)
        withExtendedLifetime(second) {}
    }

    @Test("an identity is that of the file, not of its name")
    func identity() throws {
        let directory = try TestDirectory()
        let path = directory.file("file")
        let presence = try FilePresence.acquire(path)
        #expect(FileIdentity(path: path) == presence.identity)
        #expect(rename(path, directory.file("moved")) == 0)
        #expect(FileIdentity(path: path) == nil)
        #expect(FileIdentity(path: directory.file("moved")) == presence.identity)
        #expect(try FilePresence.acquire(path).identity != presence.identity)
    }
}
