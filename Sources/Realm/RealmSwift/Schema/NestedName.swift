import Foundation
import ObjectModel
import Synchronization

/// The names of model classes that are declared within other model classes.
///
/// Such a class is a part of the other, and two of them may well have parts of the same name. A type that is not a
/// model is only a namespace and leaves no trace: `V1.Person` and `V2.Person` are versions of one stored class.
enum NestedName {
    private struct State {
        var names: [ObjectIdentifier: String] = [:]
        /// The qualified names of the program's model classes, as far as they were loaded when it was last asked.
        var models: Set<String> = []
    }

    private static let state = Mutex(State())

    /// Returns the name of a class after those of the model classes around it, as `Outer_Inner`; only its own name if
    /// that would be too long for a schema. Cost: one dictionary lookup, except the first time.
    static func of(_ type: AnyClass) -> String {
        let id = ObjectIdentifier(type)
        if let name = state.withLock({ $0.names[id] }) { return name }
        let own = String(describing: type)
        let whole = joined(String(reflecting: type), own)
        let name = whole.utf8.count <= ClassSchema.nameLimit ? whole : own
        state.withLock { $0.names[id] = name }
        return name
    }

    private static func joined(_ qualified: String, _ own: String) -> String {
        // Generic classes have the names of their arguments in theirs. `Module.Class` is not within another type.
        guard !qualified.contains("<"), qualified.count(where: { $0 == "." }) > 1 else { return own }
        let models = state.withLock { state in
            // Images may have been loaded meanwhile, the class's own among them.
            if !state.models.contains(qualified) { state.models = TypeDiscovery.qualifiedNames() }
            return state.models
        }
        var parts = [own]
        var outer = qualified[...]
        while let dot = outer.lastIndex(of: ".") {
            outer = outer[..<dot]
            guard models.contains(String(outer)), let start = outer.lastIndex(of: ".") else { break }
            parts.append(String(outer[outer.index(after: start)...]))
        }
        return parts.reversed().joined(separator: "_")
    }
}
