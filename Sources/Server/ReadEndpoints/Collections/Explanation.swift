import Basics
import HTTPMessages
import HTTPServer
import JSONCoding
import ViewMaintenance
import LiveQueries
import ObjectCoding
import ObjectModel
import QueryLanguage
import RequestHandling
import RequestParameters
import StoreContract

/// `explain=true` runs the query and reports the work of each part of its plan; `explain=plan` reports only the plan.
enum ExplainMode: Sendable {
    case run
    case plan

    /// Nil if the objects themselves are requested.
    init?(_ parameters: QueryParameters) throws(Problem) {
        switch parameters["explain"] {
        case nil, "false": return nil
        case "", "true": self = .run
        case "plan": self = .plan
        case let other?:
            throw Problem(
                .parameterInvalid, "'explain' must be true, to run the query, or plan, not '\(other)'.",
                parameter: "explain", hint: ["true", "plan", "false"].nearest(to: other))
        }
    }

    /// Throws the errors of the store.
    ///
    /// - Parameter aggregate: what is asked of the query's result, in place of its objects.
    func response(
        _ query: BoundQuery, _ window: Window, _ aggregate: LiveAggregate? = nil, of snapshot: any Snapshot
    ) throws -> Response {
        let explanation = try snapshot.explain(query, window, running: self == .run)
        let json = JSONWriter(capacity: 1024)
        json.beginObject()
        json.name("version")
        json.int(snapshot.version.rawValue)
        json.count("count", explanation.count)
        json.count("nanoseconds", explanation.nanoseconds)
        json.name("plan")
        json.part(explanation.root)
        json.name("live")
        // Without a query, the elements of a property are observed in stored order.
        let isPlain = query.predicate == .constant(true) && query.steps.isEmpty
        json.maintenance(
            try aggregate?.maintenance(under: snapshot.schema)
                ?? (isPlain ? .incremental : LiveQueries.maintenance(of: query, under: snapshot.schema)))
        json.endObject()
        // No tag, because times differ between runs.
        var response = Response.json(json.bytes)
        response.headers.add(snapshot.mark)
        return response
    }
}

extension JSONWriter {
    /// Describes how the result is kept current for observers.
    fileprivate func maintenance(_ maintenance: Maintenance) {
        beginObject()
        name("upkeep")
        switch maintenance {
        case .incremental: plainString("incremental")
        case .recompute(let reason):
            plainString("recompute")
            name("reason")
            string(reason)
        }
        endObject()
    }

    fileprivate func count(_ name: String, _ value: Int?) {
        guard let value else { return }
        self.name(name)
        int(value)
    }

    /// The recursion is as deep as the query, which is limited.
    fileprivate func part(_ part: QueryExplanation.Part) {
        beginObject()
        name("words")
        string(part.words)
        count("rowsIn", part.rowsIn)
        count("rowsOut", part.rowsOut)
        count("clustersRead", part.clustersRead)
        count("clustersSkipped", part.clustersSkipped)
        count("nanoseconds", part.nanoseconds)
        if !part.parts.isEmpty {
            name("parts")
            beginArray()
            for inner in part.parts { self.part(inner) }
            endArray()
        }
        endObject()
    }
}
