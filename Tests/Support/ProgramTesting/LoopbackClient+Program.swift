import Foundation
package import HTTPTesting
import TestBasics

extension LoopbackClient {
    /// A connection to a program.
    package convenience init(port: Int, address: String = LoopbackAddress.usual) throws {
        guard let number = UInt16(exactly: port) else { throw TestFailure("no port: \(port)") }
        try self.init(port: number, host: "\(address):\(port)", address: address)
    }

    /// Sends a request and waits for the whole answer. Throws when the server goes away before that.
    package func send(
        _ method: String, _ target: String, body: String? = nil, headers: [String: String] = [:]
    ) throws -> Answer {
        try send("\(method) \(target)", headers: headers.map { "\($0): \($1)\r\n" }.joined(), body: body ?? "")
        return try receive()
    }
}

extension LoopbackClient.Answer {
    package func json() throws -> [String: Any] {
        guard let object = try JSONSerialization.jsonObject(with: Data(body)) as? [String: Any] else {
            throw TestFailure("no JSON object: \(text)")
        }
        return object
    }
}
