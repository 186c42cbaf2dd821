import Foundation
import HTTPMessages
import HTTPServer
import JSONCoding
import ObjectCoding
import QuerySyntax
import RepositoryFiles
import StoreContract
import Testing

@testable import HTTPProblems

@Suite("The table of statuses")
struct StatusTableTests {
    @Test("faults of the client are 4xx, faults of the machine 5xx")
    func sides() {
        for (code, status) in StatusTable.store {
            // A mark of another history and a write to a replica's file are wrong whatever the machine does.
            let isMachine = code.rawValue.hasPrefix("store.") && code != .historyLost && code != .isReplica
            #expect((isMachine ? 500...599 : 400...499).contains(status), "\(code.rawValue) is \(status)")
        }
        for code in QueryError.Code.allCases { #expect(StatusTable.status(of: code) == 400, "\(code.rawValue)") }
        for code in JSONError.Code.allCases { #expect([400, 413, 503].contains(StatusTable.status(of: code))) }
    }

    @Test("every code has exactly one status, whichever layer declares it")
    func oneStatus() throws {
        let source = try String(
            contentsOfFile: Checkout.root + "/Sources/Engine/StoreContract/StoreError.swift", encoding: .utf8)
        let ofStore = source.matches(of: /static let \w+ = Code\(rawValue: "([a-z_.]+)"\)/).map { String($0.1) }
        #expect(ofStore.count > 30)
        let codes =
            Problem.Code.allCases.map(\.rawValue) + ofStore
            + QueryError.Code.allCases.map(\.rawValue) + JSONError.Code.allCases.map(\.rawValue)
            + HTTPError.Code.allCases.map(\.rawValue)
        #expect(codes.count > 100)
        #expect(Set(codes).count == codes.count, "a code is declared twice")
        #expect(Set(StatusTable.statuses.keys) == Set(codes))
        #expect(StatusTable.statuses.values.allSatisfy { (400...599).contains($0) })
        for code in Problem.Code.allCases {
            #expect(Problem(code, "").httpResponse.status == StatusTable.statuses[code.rawValue])
        }
        for code in HTTPError.Code.allCases {
            let refusal = HTTPError(code, detail: "")
            #expect(refusal.httpResponse.status == StatusTable.statuses[code.rawValue])
        }
        for (code, status) in StatusTable.store {
            #expect(Problem(StoreError(code, "")).httpResponse.status == status)
            #expect(status == StatusTable.statuses[code.rawValue])
        }
    }

    @Test("the description shows every code with its own status, and names no code that there is not")
    func description() throws {
        let file = URL(fileURLWithPath: Checkout.root + "/openapi/openapi.json")
        let document = try JSONValue.parse(Array(Data(contentsOf: file)))
        var shown = 0
        func visit(_ value: JSONValue, _ path: String) {
            switch value {
            case .object(let object):
                if case .string(let code)? = object["code"], let status = object["status"] {
                    shown += 1
                    #expect(status == StatusTable.statuses[code].map { .int(Int64($0)) }, "\(path): \(code)")
                }
                for member in object.members { visit(member.value, path + "/" + member.name) }
            case .array(let elements):
                for (index, element) in elements.enumerated() { visit(element, path + "/\(index)") }
            case .string(let text):
                // As sentences write them: 429 `queries.limited`, `keys.unsaved`.
                for match in text.matches(of: /(?:\b([45][0-9]{2}) )?`([a-z_]+\.[a-z_]+)`/)
                where Self.prefixes.contains(match.2.prefix { $0 != "." }) {
                    shown += 1
                    let status = StatusTable.statuses[String(match.2)]
                    #expect(status != nil, "\(path): \(match.2)")
                    if let written = match.1 { #expect(status == Int(written), "\(path): \(match.0)") }
                }
            default: break
            }
        }
        visit(document, "")
        #expect(shown > 50)
    }

    /// The parts of codes before the dot, but for those that documents have before other words: `objects.insertions`.
    private static let prefixes = Set(
        StatusTable.statuses.keys.compactMap { $0.split(separator: ".").count == 2 ? $0.prefix { $0 != "." } : nil })
}
