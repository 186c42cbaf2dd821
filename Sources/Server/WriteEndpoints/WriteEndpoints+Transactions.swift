import HTTPMessages
package import HTTPServer
import JSONCoding
import ObjectCoding
import ObjectModel
import RequestHandling
import RequestParameters
import StoreContract
import WireProtocol
import WriteRequests

/// The contents of each operation's result.
private enum ResultContent: String, CaseIterable {
    case keys, objects
}

extension WriteEndpoints {
    /// Runs several writes as one transaction.
    package func transact(_ request: Request, _ path: PathParameters) throws -> Reply {
        let parameters = try QueryParameters(request, single: ["include"])
        let includesObjects = try parameters.choice("include", default: ResultContent.keys) == .objects
        let snapshot = try context.snapshot(for: request)
        let queries = QueryReader(schema: snapshot.schema, limits: QueryLimits(context.configuration))
        let reader = TransactionReader(snapshot.schema, maximum: context.configuration.maximumTransaction) {
            filter, arguments, objectClass throws(Problem) in
            var parameters: [String: String] = [:]
            if let filter { parameters[ParameterName.filter] = filter }
            if let arguments { parameters[ParameterName.arguments] = String(decoding: arguments.bytes, as: UTF8.self) }
            return try queries.filter(QueryParameters(parameters), objectClass)
        }
        let input = try reader.read(try request.json(folding: true))
        return try context.write(for: request, preparedFrom: snapshot) { transaction in
            if let expected = input.expected, !expected.isSameState(as: transaction.before) {
                throw Problem(
                    .transactionVersionChanged,
                    "The store is at \(transaction.before), not at \(expected). Read the data again that the transaction depends on."
                )
            }
            let answer = AnswerText(capacity: 128 + input.operations.count * 64)
            let json = answer.json
            json.beginObject()
            json.name(TransactionAnswer.Field.version)
            json.int(transaction.version.rawValue)
            json.name(TransactionAnswer.Field.results)
            json.beginArray()
            var run = TransactionRun(transaction, reader, includesObjects: includesObjects, into: answer)
            try run.perform(input.operations)
            json.endArray()
            json.endObject()
            return WriteAnswer(answer)
        }
    }
}
