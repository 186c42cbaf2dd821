import HTTPServer
import JSONCoding
import QueryLanguage
import StoreContract
import Testing

@testable import Gateway

@Suite("Error tables")
struct ErrorTableTests {
    @Test("faults of the client are 4xx, faults of the machine 5xx")
    func sides() {
        for (code, status) in Problem.storeStatuses {
            let isMachine = code.rawValue.hasPrefix("store.")
            #expect((isMachine ? 500...599 : 400...499).contains(status), "\(code.rawValue) is \(status)")
        }
        for (code, status) in Problem.queryStatuses { #expect(status == 400, "\(code.rawValue)") }
        for code in JSONError.Code.allCases { #expect([400, 503].contains(Problem.status(of: code))) }
    }

    @Test("an error of no known kind becomes a 500 that says nothing about its cause")
    func unknownErrors() throws {
        struct Secret: Error { let text = "password" }
        let gateway = try Wire.gateway()
        let response = gateway.response(to: Secret())
        #expect(response.status == 500)
        #expect(!String(decoding: response.bodyBytes, as: UTF8.self).contains("password"))
        #expect(gateway.response(to: StoreError(.init(rawValue: "store.new_one"), "New.")).status == 500)
    }
}
