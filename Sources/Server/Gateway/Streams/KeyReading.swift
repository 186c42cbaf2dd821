import ObjectModel
import StoreContract

/// Parses a request as a topic key. When the schema is replaced, the request is parsed again: if the key is the same,
/// the observation continues; if it differs or is an error, the members begin again.
///
/// Requests with equal keys are parsed alike, so this type compares equal for all.
struct KeyReading: Hashable, Sendable {
    /// The store's schema for which the key was parsed.
    let schema: Schema
    /// Parses the request at a version as its caller sees it, nil for the latest. Throws the error in it.
    let read: @Sendable ((any Snapshot)?) throws -> TopicKey

    static func == (a: KeyReading, b: KeyReading) -> Bool { true }
    func hash(into hasher: inout Hasher) {}
}

extension TopicKey {
    /// Returns whether the request means this key at a version, as its caller sees it. Checked at the reported version
    /// and not the latest one, which may have the original schema again although the version between has not.
    func holds(at snapshot: any Snapshot) -> Bool { (try? reading?.read(snapshot)) == self }
}
