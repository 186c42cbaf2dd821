import LiveQueries
import ObjectModel

/// The elements of a collection at one moment, and the sections that they are in.
struct SectionTable<Key: _Persistable & Hashable> {
    /// All elements, in the order of the collection.
    let values: [Value]
    let positions: SectionedPositions
    /// The key of each section, as its first element has it.
    let keys: [Key]

    /// - Parameter key: is asked once for each element.
    init(_ values: [Value], in realm: RLMRealm, _ key: (Value) throws -> Key) throws {
        let adopter = _Adopter(realm)
        var keys: [Key] = []
        var stored: [Value] = []
        keys.reserveCapacity(values.count)
        stored.reserveCapacity(values.count)
        for value in values {
            let key = try key(value)
            let form = try Key._stored(key, by: adopter)?.value ?? .null
            if case .reference = form { throw RealmException.linkAsSectionKey }
            keys.append(key)
            stored.append(form)
        }
        let positions = SectionedPositions(keys: stored)
        self.values = values
        self.positions = positions
        self.keys = (0..<positions.count).map { keys[positions[SectionPath($0, 0)]] }
    }

    func values(in section: Int) -> [Value] { positions.positions(in: section).map { values[$0] } }
}

extension RealmException {
    static let linkAsSectionKey = RealmException("Links are not supported as section keys.")
}
