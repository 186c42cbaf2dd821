import ArgumentParser
import ObjectModel
import Transfer

/// The options of `realmgate import` for a class that it makes from the file.
struct NewClassOptions: ParsableArguments {
    @Flag(help: "Make the class from the file, with inferred types.")
    var create = false

    @Flag(
        help: ArgumentHelp(
            "Write nothing: with --create, print the schema and the reasons for the types.",
            discussion: "Of a Realm file, print what would come and what stands in the way."))
    var dryRun = false

    @Option(
        name: .customLong("type"),
        help: ArgumentHelp(
            "With --create, the type of a property; may be repeated.",
            discussion: "It becomes optional if rows have no value. Example: --type zip=string",
            valueName: "property=type"))
    var types: [String] = []

    @Option(help: ArgumentHelp("With --create, the property that is the primary key.", valueName: "property"))
    var primaryKey: String?

    @Flag(help: "With --create, make the class without a primary key.")
    var noPrimaryKey = false

    func validate() throws {
        guard create || !(!types.isEmpty || primaryKey != nil || noPrimaryKey) else {
            throw ValidationError("--type, --primary-key and --no-primary-key are for a new class: add --create.")
        }
        guard primaryKey == nil || !noPrimaryKey else {
            throw ValidationError("Give --primary-key or --no-primary-key, not both.")
        }
        do {
            _ = try GivenType.types(types)
        } catch {
            throw ValidationError("--type: \(error.message)")
        }
    }

    func inference(escapesFormulas: Bool) throws(TransferError) -> ClassInference.Options {
        var options = ClassInference.Options()
        options.types = try GivenType.types(types)
        options.escapesFormulas = escapesFormulas
        options.faultLimit = nil
        if let primaryKey { options.key = .named(primaryKey) }
        if noPrimaryKey { options.key = .none }
        return options
    }
}
