import FairScheduling
import HTTPMessages
package import HTTPServer
import JSONCoding
import ObjectCoding
import ObjectModel
import RequestHandling
import RequestParameters
import StoreContract
package import Transfer

extension TransferEndpoints {
    /// `POST /v1/schema/inference?class=NAME`: proposes a class for the objects of a file, with the reason for each
    /// type, and changes nothing. A worker reads the file after all of it has arrived, and takes turns with imports.
    package func inferSchema(_ request: Request, _ path: PathParameters) throws -> Reply {
        let (inference, format) = try inferenceTerms(request, path)
        guard let file = request.bodyFile, file.count > 0 else {
            throw Problem(.importEmpty, "Send the file, or its beginning, as the body of the request.")
        }
        let limit = context.settings.now.importLimit
        let expansion = ExpansionLimit(context.settings.now)
        return pool.reply(for: request.limitKey) { [self] in
            do {
                let watch = TransferWatch()
                let source = try ByteSource(file, of: request, limit: limit)
                source.lineMemory = longLines(of: request, watch)
                let most = try expansion.bytes(of: file, request)
                source.check = { expanded in
                    try watch.check()
                    try most?.check(expanded)
                }
                let json = JSONWriter(capacity: 4096)
                try inference.run(source).encode(into: json)
                return .now(.json(json.bytes))
            } catch let fault as ObjectImporter.TooManyFaults {
                let problem = Problem(
                    .importTooManyFaults,
                    "More than \(fault.limit) lines cannot be read (limits.importFaults). Correct the file, and check that its format is \(format.rawValue)."
                )
                return .now(context.response(to: problem, of: request))
            } catch {
                return .now(context.response(to: error, of: request))
            }
        }
    }

    /// Reads what a request for a proposal says besides its body.
    package func inferenceTerms(_ request: Request, _ path: PathParameters) throws -> (ClassInference, TransferFormat) {
        let parameters = try QueryParameters(
            request, single: ["class", "format", "partial", "primaryKey", Self.escapeFormulas], repeatable: ["type"])
        guard let className = parameters["class"] else {
            throw Problem(.parameterMissing, "Name the class that the file is for: class=NAME.", parameter: "class")
        }
        let format = try importFormat(request, parameters)
        // Checked first, before any work for a body that cannot be read.
        _ = try request.contentCoding
        let options = try inferenceOptions(parameters, format)
        let inference: ClassInference
        do {
            inference = try ClassInference(
                class: className, in: try context.store.snapshot().schema, format: format, options: options)
        } catch let fault as TransferError {
            throw Problem(.parameterInvalid, fault.message, parameter: "class")
        }
        do throws(TransferError) {
            try inference.checkGivenTypes()
        } catch {
            throw Problem(.parameterInvalid, error.message, parameter: "type")
        }
        return (inference, format)
    }

    private func inferenceOptions(
        _ parameters: QueryParameters, _ format: TransferFormat
    ) throws -> ClassInference.Options {
        var options = ClassInference.Options()
        options.isPartial = try parameters.flag("partial")
        options.escapesFormulas = try escapesFormulas(parameters, format)
        options.faultLimit = context.settings.now.importFaults
        if let name = parameters["primaryKey"] { options.key = name.isEmpty ? .none : .named(name) }
        do throws(TransferError) {
            options.types = try GivenType.types(parameters.all("type"))
        } catch {
            throw Problem(.parameterInvalid, error.message, parameter: "type")
        }
        return options
    }
}
