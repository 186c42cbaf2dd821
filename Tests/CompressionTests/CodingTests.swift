import Compression
import Testing

@Suite("content codings")
struct CodingTests {
    @Test("are called as HTTP calls them")
    func names() { #expect(Coding.allCases.map(\.rawValue) == ["zstd", "gzip"]) }
}
