import Gateway
import HTTPMessages
import HTTPServer
import Identity
import JSONCoding
import RequestHandling
import StoreContract
import Testing

/// Parses Prometheus' text format as strictly as Prometheus.
struct Exposition {
    struct Fault: Error, CustomStringConvertible {
        var description: String
    }

    private(set) var kinds: [String: String] = [:]
    /// The samples by name and labels as written.
    private(set) var samples: [String: Double] = [:]

    init(_ text: String) throws {
        guard text.hasSuffix("\n") else { throw Fault(description: "no line break at the end") }
        var helped: Set<String> = []
        var current = ""
        for line in text.dropLast().split(separator: "\n", omittingEmptySubsequences: false) {
            if let match = line.wholeMatch(of: /# HELP ([a-z_:][a-z0-9_:]*) .+/) {
                current = String(match.1)
                guard helped.insert(current).inserted else { throw Fault(description: "HELP twice: \(line)") }
            } else if let match = line.wholeMatch(of: /# TYPE ([a-z_:][a-z0-9_:]*) (counter|gauge|histogram)/) {
                guard match.1 == current, kinds.updateValue(String(match.2), forKey: current) == nil else {
                    throw Fault(description: "TYPE out of place: \(line)")
                }
            } else if let match = line.wholeMatch(
                of:
                    /([a-z_:][a-z0-9_:]*)(\{(?:[a-z_]+="(?:[^"\\\n]|\\["\\n])*",?)+\})? (NaN|[+-]Inf|-?[0-9.]+(?:e[+-]?[0-9]+)?)/
            ) {
                let suffixes = kinds[current] == "histogram" ? ["_bucket", "_sum", "_count"] : [""]
                guard suffixes.contains(where: { current + $0 == match.1 }) else {
                    throw Fault(description: "a sample outside of its family: \(line)")
                }
                let value = match.3 == "+Inf" ? Double.infinity : match.3 == "-Inf" ? -.infinity : Double(match.3)
                let series = String(match.1) + String(match.2 ?? "")
                guard let value, samples.updateValue(value, forKey: series) == nil else {
                    throw Fault(description: "twice or no number: \(line)")
                }
                if kinds[current] != "gauge", value < 0 { throw Fault(description: "negative: \(line)") }
            } else {
                throw Fault(description: "neither comment nor sample: \(line)")
            }
        }
        guard helped == Set(kinds.keys) else { throw Fault(description: "HELP without TYPE") }
        try checkHistograms()
    }

    /// Buckets only increase, and the last one is the count.
    private func checkHistograms() throws {
        for (name, kind) in kinds where kind == "histogram" {
            let counts = samples.filter { $0.key.hasPrefix(name + "_count") }
            for (series, count) in counts {
                let labels = series.dropFirst((name + "_count").count).dropFirst().dropLast()
                let start = name + "_bucket{" + labels + (labels.isEmpty ? "" : ",") + "le=\""
                let buckets = samples.filter { $0.key.hasPrefix(start) }.map { sample in
                    (bound: Double(sample.key.dropFirst(start.count).dropLast(2)) ?? .infinity, count: sample.value)
                }.sorted { $0.bound < $1.bound }
                guard buckets.last?.bound == .infinity, buckets.last?.count == count,
                    zip(buckets, buckets.dropFirst()).allSatisfy({ $0.count <= $1.count })
                else { throw Fault(description: "buckets of \(series)") }
            }
        }
    }

    subscript(series: String) -> Double? { samples[series] }
}

@Suite("Metrics and readiness")
struct MetricsTests {
    @Test("every line is well formed, every family has help and type, no series is there twice")
    func format() throws {
        let gateway = try TestGateway { $0.version = "1.2 \"b\\\n" }
        try gateway.fill()
        _ = try gateway.get("/v1/objects/Dog?filter=age%20%3E%203")
        _ = try gateway.get("/v1/objects/Cat")
        _ = try gateway.get("/nothing")
        let answer = try gateway.get("/metrics")
        #expect(answer.status == 200)
        #expect(answer.headers["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8")
        let numbers = try Exposition(answer.text)
        #expect(
            numbers[#"realmgate_http_requests_total{method="GET",route="/v1/objects/:class",status="2xx"}"#] == 1)
        #expect(
            numbers[#"realmgate_http_requests_total{method="GET",route="/v1/objects/:class",status="4xx"}"#] == 1)
        #expect(numbers[#"realmgate_http_requests_total{method="-",route="-",status="4xx"}"#] == 1)
        #expect(
            numbers[
                #"realmgate_http_request_duration_seconds_count{method="POST",route="/v1/objects/:class"}"#] == 2)
        #expect(numbers[#"realmgate_build_info{version="1.2 \"b\\\n"}"#] == 1)
        let (resident, mapped) = (numbers["process_resident_memory_bytes"], numbers["realmgate_mapped_memory_bytes"])
        #expect((mapped ?? 0) > 1_048_576)
        #expect((resident ?? 0) > (mapped ?? 0))
        #expect((numbers["process_open_fds"] ?? 0) > 2)
        #expect((numbers["realmgate_store_version"] ?? 0) >= 3)
        #expect(try gateway.get("/metrics?x=1").status == 400)
    }

    @Test("are for administrators where there is access control, unless they are opened", arguments: [true, false])
    func access(isOpen: Bool) throws {
        let gateway = try TestGateway {
            $0.accessControl = AccessControl(roles: [])
            $0.metricsAreOpen = isOpen
        }
        #expect(try gateway.get("/metrics").status == (isOpen ? 200 : 401))
        // Probes have no credentials.
        #expect(try gateway.get("/healthz").status == 200)
        #expect(try gateway.get("/readyz").status == 200)
        #expect(try gateway.get("/v1/schema").status == 401)
        let preflight = try gateway.send(
            .options, "/v1/schema", headers: ["Origin": "https://a.example", "Access-Control-Request-Method": "PUT"])
        #expect(preflight.status == 204)
        #expect(preflight.headers["Access-Control-Allow-Methods"]?.contains("PUT") == true)
    }

    @Test("an administrator's read-only key reads them, one for some classes or of another role does not")
    func readOnlyKeys() throws {
        let guarded = try GuardedGateway()
        for (role, scope, status) in [
            ("admin", KeyScope.all, 200), ("admin", KeyScope(isReadOnly: true), 200),
            ("admin", KeyScope(classes: ["Dog"]), 403), ("admin", KeyScope(isReadOnly: true, classes: ["Dog"]), 403),
            ("reader", .all, 403), ("reader", KeyScope(isReadOnly: true), 403),
        ] {
            let headers: HeaderFields = ["X-API-Key": try guarded.secret(role, scope: scope)]
            for path in ["/metrics", "/v1/metrics/history"] {
                #expect(try guarded.gateway.get(path, headers: headers).status == status, "\(role), \(scope)")
            }
        }
    }

    @Test("a gateway that drains is not ready, and alive")
    func draining() throws {
        let gateway = try TestGateway()
        #expect(try gateway.get("/readyz").status == 200)
        gateway.gateway.beginDraining()
        let answer = try gateway.get("/readyz")
        #expect(answer.status == 503)
        #expect(answer.member("code") == .string("gateway.draining"))
        #expect(try gateway.get("/healthz").status == 200)
    }
}
