import ObjectModel

/// How a request is read as what is to be observed. When the schema is replaced it is read again: an observation goes on if
/// that gives the same key, and its members begin anew if it gives another one, or an error.
///
/// Requests with equal keys are read alike, so that this tells no keys apart.
struct KeyReading: Hashable, Sendable {
    /// The schema of the store under which the key was read.
    let schema: Schema
    /// Reads the request under the store's present schema. Throws what is wrong with it.
    let read: @Sendable () throws -> ChannelKey

    static func == (a: KeyReading, b: KeyReading) -> Bool { true }
    func hash(into hasher: inout Hasher) {}
}

extension ChannelKey {
    /// Whether what was asked for is still this, under the store's present schema.
    func holds() -> Bool { (try? reading?.read()) == self }
}
