@testable import LMDBStorage
import StoreContract
import Testing

@Suite("The loaded LMDB")
struct LMDBReleaseTests {
    @Test("a library with another format is named, and the file is not called damaged")
    func otherLibrary() {
        #expect(LMDBRelease.loaded.readsOurFormat)
        #expect(LMDBRelease(major: 0, minor: 9, patch: 99).readsOurFormat)
        for release in [LMDBRelease(major: 1, minor: 0, patch: 0), LMDBRelease(major: 0, minor: 10, patch: 0)] {
            #expect(!release.readsOurFormat)
            let error = release.unreadable("a.realmgate")
            #expect(error.code == .unsupportedFormat)
            #expect(error.message.contains("LMDB \(release)") && error.message.contains("intact"))
        }
    }
}
