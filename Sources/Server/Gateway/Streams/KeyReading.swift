import ObjectModel
import StoreContract

/// How a request is read as what is to be observed. When the schema is replaced it is read again: an observation goes on if
/// that gives the same key, and its members begin anew if it gives another one, or an error.
///
/// Requests with equal keys are read alike, so that this tells no keys apart.
struct KeyReading: Hashable, Sendable {
    /// The schema of the store under which the key was read.
    let schema: Schema
    /// Reads the request at a version as its caller sees it, nil for the newest one. Throws what is wrong with it.
    let read: @Sendable ((any Snapshot)?) throws -> TopicKey

    static func == (a: KeyReading, b: KeyReading) -> Bool { true }
    func hash(into hasher: inout Hasher) {}
}

extension TopicKey {
    /// Whether what was asked for is this at a version, as its caller sees it. Asked of the version that is told of, not of
    /// the newest one: that may have the schema again which the version in between has not.
    func holds(at snapshot: any Snapshot) -> Bool { (try? reading?.read(snapshot)) == self }
}
