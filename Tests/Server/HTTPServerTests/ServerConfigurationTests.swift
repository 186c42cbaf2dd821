import HTTPServer
import Testing

@Suite("Limits that follow from the configuration")
struct ServerConfigurationTests {
    @Test(
        "streams, connections and other files fit into the files that a process may have open",
        arguments: [64, 256, 1_024, 20_000, 65_536, 1_048_576, Int.max])
    func descriptors(limit: Int) {
        var configuration = ServerConfiguration()
        configuration.fit(intoDescriptors: limit)
        let sum = configuration.connectionLimit + configuration.streamLimit
        #expect(sum < limit)
        #expect(limit - sum >= min(256, limit / 4))
        #expect(configuration.connectionLimit > 0 && configuration.streamLimit > 0)
        #expect(configuration.connectionLimit <= 16_384 && configuration.streamLimit <= 100_000)
        if limit == 20_000 { #expect(configuration.streamLimit >= 15_000) }
    }

    @Test("limits that fit stay as they were set")
    func unchanged() {
        var configuration = ServerConfiguration()
        configuration.connectionLimit = 10
        configuration.streamLimit = 20
        configuration.fit(intoDescriptors: 1_024)
        #expect(configuration.connectionLimit == 10 && configuration.streamLimit == 20)
    }

    @Test("heartbeats of streams that fell silent together are spread over half the silence allowed")
    func heartbeats() {
        let configuration = ServerConfiguration()
        let longest = Int64(configuration.streamHeartbeat)
        var perTenth = [Int64: Int](minimumCapacity: 80)
        let delays = (0..<15_000).map { configuration.heartbeatDelay(ofStream: $0) }
        #expect(delays.allSatisfy { $0 >= longest / 2 && $0 <= longest })
        for delay in delays { perTenth[delay / 100, default: 0] += 1 }
        // 7,500 ms in steps of 100: an even share is 200.
        #expect(perTenth.count >= 75)
        #expect(perTenth.values.allSatisfy { $0 <= 220 }, "\(perTenth)")
    }
}
