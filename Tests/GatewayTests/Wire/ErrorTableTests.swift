import Foundation
import HTTPServer
import JSONCoding
import QueryLanguage
import StoreContract
import Testing

@testable import Gateway

/// The codes are open sets, so their declarations are what can be counted.
@Suite("Error tables")
struct ErrorTableTests {
    private static func declaredCodes(_ file: String) throws -> Set<String> {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let source = try String(contentsOf: root.appendingPathComponent("Sources/\(file)"), encoding: .utf8)
        let codes = source.matches(of: /Code\(rawValue: "([a-z_.]+)"\)/).map { String($0.output.1) }
        return Set(codes)
    }

    @Test("every code that a store declares has a status, and no status is for a code that is gone")
    func storeCodes() throws {
        let declared = try Self.declaredCodes("StoreContract/StoreError.swift")
        #expect(declared.count >= 20)
        #expect(Set(Problem.storeStatuses.keys.map(\.rawValue)) == declared)
    }

    @Test("every code that a query declares has a status, and no status is for a code that is gone")
    func queryCodes() throws {
        let declared = try Self.declaredCodes("QueryLanguage/QueryError.swift")
        #expect(declared.count >= 9)
        #expect(Set(Problem.queryStatuses.keys.map(\.rawValue)) == declared)
    }

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
