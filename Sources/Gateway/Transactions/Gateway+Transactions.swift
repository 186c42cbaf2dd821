import HTTPServer
import JSONCoding
import ObjectModel
import StoreContract

/// What each operation's result tells.
private enum ResultContent: String, CaseIterable {
    case keys, objects
}

extension Gateway {
    /// Many writes as one.
    func onTransactions(
        _ on: (HTTPMethod, String, @escaping @Sendable (Request, PathParameters) throws -> Reply) -> Void
    ) { on(.post, "/v1/transactions", transact) }

    private func transact(_ request: Request, _ path: PathParameters) throws -> Reply {
        let parameters = try QueryParameters(request, single: ["include"])
        let includesObjects = try parameters.choice("include", default: ResultContent.keys) == .objects
        let reader = TransactionReader(try snapshot(for: request).schema, configuration)
        let input = try reader.read(try request.json())
        return try write(for: request) { transaction in
            if let version = input.version, transaction.version.rawValue != UInt64(version) + 1 {
                throw Problem(
                    412, "transaction.version_changed",
                    "The store is at version \(transaction.version.rawValue - 1), not \(version). Read again what the transaction depends on."
                )
            }
            let json = JSONWriter(capacity: 128 + input.operations.count * 64)
            json.beginObject()
            json.name("version")
            json.int(transaction.version.rawValue)
            json.name("results")
            json.beginArray()
            var run = TransactionRun(transaction, reader, includesObjects: includesObjects, into: json)
            for (index, operation) in input.operations.enumerated() {
                do {
                    try run.perform(operation)
                } catch let error as StoreError where [500, 503, 507].contains(Problem(error).status) {
                    // The machine's fault, not the operation's.
                    throw error
                } catch {
                    guard let problem = Problem(of: error) else { throw error }
                    throw problem.inOperation(index)
                }
            }
            json.endArray()
            json.endObject()
            return .json(json.bytes)
        }
    }
}
