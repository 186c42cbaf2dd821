import Compression
import HTTPMessages
import Testing

@Suite("Accept-Encoding")
struct AcceptEncodingTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var header: String?
        var coding: Coding?
        var allowsIdentity = true
        var testDescription: String { header ?? "none" }
    }

    static let cases: [Case] = [
        Case(header: nil), Case(header: ""), Case(header: "identity"), Case(header: "br"),
        Case(header: "gzip", coding: .gzip), Case(header: "x-gzip", coding: .gzip), Case(header: "GZip", coding: .gzip),
        Case(header: "gzip, deflate, br, zstd", coding: .zstd), Case(header: "*", coding: .zstd),
        Case(header: "gzip;q=1.0, zstd;q=0.5", coding: .gzip), Case(header: "zstd;q=0, *", coding: .gzip),
        Case(header: "gzip;q=0"), Case(header: "gzip ; Q=0.001", coding: .gzip),
        Case(header: "identity;q=1, gzip;q=0.5"), Case(header: "identity;q=0.5, gzip;q=0.5", coding: .gzip),
        Case(header: "gzip, identity;q=0", coding: .gzip, allowsIdentity: false),
        Case(header: "identity;q=0", allowsIdentity: false), Case(header: "*;q=0", allowsIdentity: false),
        Case(header: "*;q=0, gzip", coding: .gzip, allowsIdentity: false),
        Case(header: "*;q=0, identity"), Case(header: ", gzip,,", coding: .gzip),
        // An invalid header requests no coding.
        Case(header: "gzip;q=2"), Case(header: "gzip;q=0.1234"), Case(header: "gzip;q"), Case(header: "gzip;level=9"),
        Case(header: "gzip;q=1.001"), Case(header: "gzip;q=-1"),
    ]

    @Test("is understood with its weights", arguments: cases)
    func understood(header: Case) {
        let accepted = AcceptEncoding(header.header)
        #expect(accepted.coding == header.coding)
        #expect(accepted.allowsIdentity == header.allowsIdentity)
    }

    @Test("a list without weights is understood as one where all have the weight that is meant then")
    func plainLists() {
        let names = ["gzip", "x-gzip", "GZIP", "zstd", "identity", "br", "deflate", "", " zstd", "gzip\t", "*"]
        for first in names {
            for second in names {
                for third in names {
                    let list = [first, second, third]
                    let weighted = list.map { $0.isEmpty ? "" : $0 + ";q=1" }.joined(separator: ",")
                    #expect(AcceptEncoding(list.joined(separator: ",")) == AcceptEncoding(weighted), "\(list)")
                }
            }
        }
    }
}
