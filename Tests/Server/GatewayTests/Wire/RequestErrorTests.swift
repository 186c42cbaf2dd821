import HTTPProblems
import HTTPMessages
import HTTPServer
import ObjectCoding
import RequestHandling
import StoreContract
import Testing

@testable import Gateway

@Suite("Errors of a request")
struct RequestErrorTests {
    @Test("what the server refuses itself has the same status as a problem")
    func refusals() {
        for code in HTTPError.Code.allCases {
            let refusal = HTTPError(code, detail: "")
            #expect(Problem(of: refusal)?.status == refusal.status)
        }
    }

    @Test("an error of no known kind becomes a 500 that says nothing about its cause")
    func unknownErrors() throws {
        struct Secret: Error { let text = "password" }
        let gateway = try Wire.gateway()
        let response = gateway.context.response(to: Secret())
        #expect(response.status == 500)
        #expect(!String(decoding: response.bodyBytes, as: UTF8.self).contains("password"))
        #expect(gateway.context.response(to: StoreError(.init(rawValue: "store.new_one"), "New.")).status == 500)
    }
}
