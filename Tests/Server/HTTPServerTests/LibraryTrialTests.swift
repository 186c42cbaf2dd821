import HTTPTesting
import Testing

@testable import HTTPServer

@Suite("The trial of the HTTP library")
struct LibraryTrialTests {
    @Test("exactly one way of reading headers suits the loaded library, and it is the one that servers use")
    func outcome() throws {
        let suitable = try HeadSource.allCases.filter { try LibraryTrial.failure(of: $0) == nil }
        #expect(suitable.count == 1)
        #expect(try LibraryTrial.outcome.get() == suitable.first)
        #expect(HTTPServer.libraryIsStrict == (suitable == [.lines]))
    }

    @Test("a library that no way suits is refused, with the request that failed and what to install")
    func refused() {
        let text = ServerError.unsuitableLibrary(version: "2.0.0", request: "a folded line").description
        for part in ["2.0.0", "a folded line", "Install"] { #expect(text.contains(part)) }
    }

    @Test("the version that the program was built for is written as the library writes its own")
    func version() {
        let parts = LibraryTrial.builtVersion.split(separator: ".").compactMap { Int($0) }
        #expect(parts.count == 3 && LibraryTrial.version.split(separator: ".").count == 3)
    }
}
