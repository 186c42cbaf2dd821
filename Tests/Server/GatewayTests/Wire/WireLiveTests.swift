import Foundation
import HTTPMessages
import HTTPServer
import HTTPTesting
import JSONCoding
import Promises
import RequestHandling
import Testing

@Suite("The gateway over a socket")
struct WireLiveTests {
    @Test("two browsers see what a third client writes, in order and alike")
    func liveUpdates() throws {
        try TestGateway().serve { port in
            let writer = try LoopbackClient(port: port)
            #expect(try writer.request("POST", "/v1/objects/Dog", #"{"_id":1,"name":"Rex"}"#).status == 201)
            let readers = try (0..<2).map { _ in
                let reader = try LoopbackClient(port: port)
                try reader.send("GET /v1/observe/objects/Dog?include=objects&fields=_id,age")
                return reader
            }
            for reader in readers { #expect(try reader.event().name == "initial") }
            for age in 0..<20 {
                #expect(try writer.request("PATCH", "/v1/objects/Dog/1", "{\"age\":\(age)}").status == 200)
            }
            var seen: [[Int]] = []
            for reader in readers {
                var ages: [Int] = []
                // Consecutive commits may be reported as one.
                repeat {
                    let event = try reader.event()
                    #expect(event.name == "update")
                    if let age = try JSONValue.parse(event.data)["objects"]?["modifications"]?[0]?["age"]?.asInt {
                        ages.append(age)
                    }
                } while ages.last != 19
                #expect(ages == ages.sorted())
                seen.append(ages)
            }
            #expect(seen[0] == seen[1])
        }
    }

    @Test("writers on many connections are answered after their commits, and every write is there")
    func writers() throws {
        try TestGateway().serve { port in
            let done = (0..<16).map { _ in Promise<Result<Int, any Error>>() }
            for (number, box) in done.enumerated() {
                Thread.detachNewThread {
                    box.set(
                        Result {
                            let client = try LoopbackClient(port: port)
                            var created = 0
                            for index in 0..<20 {
                                let key = number * 20 + index
                                let answer = try client.request("POST", "/v1/objects/Dog", "{\"_id\":\(key)}")
                                // An acknowledged write can be read at once, on any connection.
                                let read = try client.request("GET", "/v1/objects/Dog/\(key)")
                                if answer.status == 201, read.status == 200 { created += 1 }
                            }
                            return created
                        })
                }
            }
            for box in done { #expect(try box.take().get() == 20) }
            let count = try LoopbackClient(port: port).request("GET", "/v1/objects/Dog?count=true&limit=0")
            #expect(count.json?["count"] == 320)
        }
    }

    @Test("a body beyond the limit is refused and the server goes on")
    func largeBody() throws {
        try TestGateway().serve({ $0.bodyLimit = 1000 }) { port in
            let client = try LoopbackClient(port: port)
            let long = #"{"_id":1,"name":""# + String(repeating: "x", count: 2000) + "\"}"
            #expect(try client.request("POST", "/v1/objects/Dog", long).status == 413)
            let next = try LoopbackClient(port: port)
            #expect(try next.request("POST", "/v1/objects/Dog", #"{"_id":1}"#).status == 201)
        }
    }
}

extension LoopbackClient {
    func request(
        _ method: String, _ target: String, _ body: String = ""
    ) throws -> (status: Int, json: JSONValue?) {
        try send("\(method) \(target)", body: body)
        let answer = try answer()
        return (answer.status, try? JSONValue.parse(answer.body))
    }
}
