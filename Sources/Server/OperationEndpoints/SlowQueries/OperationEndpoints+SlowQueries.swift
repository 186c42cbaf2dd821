import FairScheduling
import HTTPMessages
package import HTTPServer
import JSONCoding
import ObjectModel
import RequestHandling
import RequestParameters
import StoreContract

extension OperationEndpoints {
    private static let defaultForms = 20

    /// `GET /v1/slow-queries`: the forms of query that took the most time in the last hour, for administrators, who see
    /// everything: the constants may be values that other callers do not see.
    package func getSlowQueries(_ request: Request, _ path: PathParameters) throws -> Reply {
        let parameters = try QueryParameters(request, single: ["limit"])
        let limit = try parameters.integer("limit", in: 1...SlowQueries.capacity) ?? Self.defaultForms
        // Plans look up what conditions name, and advice reads columns.
        return context.workers.reply(for: request.limitKey) { [self] in
            do {
                return .now(try slowQueries(limit))
            } catch {
                return .now(context.response(to: error, of: request))
            }
        }
    }

    private func slowQueries(_ limit: Int) throws -> Response {
        let snapshot = try context.store.snapshot()
        let now = context.settings.now.clock()
        let all = context.slowQueries.all(at: now)
        let json = JSONWriter(capacity: 1024 * (min(all.count, limit) + 1))
        json.beginObject()
        json.name("queries")
        json.beginArray()
        for entry in all.prefix(limit) {
            json.slowQuery(entry, plans.findings(of: entry, in: snapshot, at: now))
        }
        json.endArray()
        json.name("forms")
        json.int(all.count)
        json.name("seconds")
        json.int(SlowQueries.span)
        json.name("least")
        json.double(Double(context.settings.now.slowQueryNanoseconds) / 1e9)
        json.endObject()
        return .neverStored(json)
    }
}

extension Response {
    /// An answer about the server itself, which no cache keeps.
    static func neverStored(_ json: JSONWriter) -> Response {
        var response = Response.json(json.bytes)
        response.headers["Cache-Control"] = "no-store"
        return response
    }
}

extension JSONWriter {
    fileprivate func slowQuery(_ entry: SlowQueries.Entry, _ findings: SlowQueryPlans.Findings) {
        let example = entry.example
        beginObject()
        name("form")
        string(entry.form)
        name("count")
        int(entry.count)
        name("seconds")
        double(Double(entry.nanoseconds) / 1e9)
        name("slowest")
        beginObject()
        name("target")
        string(example.target)
        name("time")
        date(example.time)
        name("seconds")
        double(Double(example.nanoseconds) / 1e9)
        name("examined")
        int(example.examined)
        name("returned")
        if let returned = example.returned { int(returned) } else { null() }
        name("failed")
        bool(example.hasFailed)
        endObject()
        name("plan")
        if let plan = findings.plan { planned(plan) } else { null() }
        name("advice")
        beginArray()
        for advice in findings.advice {
            beginObject()
            name("class")
            string(advice.className)
            name("property")
            string(advice.property)
            name("objects")
            int(advice.objects)
            name("words")
            string(advice.words)
            endObject()
        }
        endArray()
        endObject()
    }

    /// The recursion is as deep as the query, which is limited.
    private func planned(_ part: QueryExplanation.Part) {
        beginObject()
        name("words")
        string(part.words)
        if !part.parts.isEmpty {
            name("parts")
            beginArray()
            for part in part.parts { planned(part) }
            endArray()
        }
        endObject()
    }
}
