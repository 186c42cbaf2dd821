import ObjectModel

/// A client's position in a set's stream, encoded in the event ids: `MARK.REVISION`, followed by `;ID=MARK` for
/// each subscription that is at another version, 0 for one without any event.
///
/// The events of one commit are sent one by one, so a stream may break off between them.
struct StreamPosition: Equatable, Sendable {
    /// The version of all other subscriptions.
    var version: Version
    /// The set's revision: later changes of queries have not been received.
    var revision: UInt64
    var exceptions: [SubscriptionID: Version] = [:]

    init(_ version: Version, _ revision: UInt64) {
        self.version = version
        self.revision = revision
    }

    /// Creates the position with the fewest exceptions.
    init(_ versions: [SubscriptionID: Version?], revision: UInt64) {
        var counts: [Version: Int] = [:]
        for version in versions.values { counts[version ?? Version(0), default: 0] += 1 }
        let common = counts.max { ($0.value, $0.key) < ($1.value, $1.key) }?.key ?? Version(0)
        self.init(common, revision)
        for (id, version) in versions where version ?? Version(0) != common { exceptions[id] = version ?? Version(0) }
    }

    /// Nil for text that is not such an id.
    ///
    /// - Parameter isKnown: whether a state is of this history. A state of another history counts as not received.
    init?(_ text: String, isKnown: (Mark) -> Bool) {
        func version(_ text: Substring) -> Version? {
            if let mark = Mark(text) { return isKnown(mark) ? mark.version : Version(0) }
            // A number alone does not identify a state.
            return UInt64(text).map { _ in Version(0) }
        }
        let parts = text.split(separator: ";", omittingEmptySubsequences: false)
        let base = parts[0].split(separator: ".", omittingEmptySubsequences: false)
        guard base.count == 2, let common = version(base[0]), let revision = UInt64(base[1]) else { return nil }
        self.init(common, revision)
        for part in parts.dropFirst() {
            let pair = part.split(separator: "=", omittingEmptySubsequences: false)
            guard pair.count == 2, let id = SubscriptionID(pair[0]), let heard = version(pair[1]) else { return nil }
            exceptions[id] = heard
        }
    }

    /// - Parameter mark: returns the mark of a version; nil if its history is not known, which then counts as not
    ///   received.
    func text(_ mark: (Version) -> Mark?) -> String {
        func name(_ version: Version) -> String {
            version == Version(0) ? "0" : mark(version)?.description ?? "0"
        }
        let rest = exceptions.sorted { $0.key < $1.key }.map { ";\($0.key)=\(name($0.value))" }
        return "\(name(version)).\(revision)" + rest.joined()
    }

    /// Returns the version from which a subscription resumes; nil for one that must begin again.
    func version(of subscription: Subscription) -> Version? {
        guard subscription.revision <= revision else { return nil }
        let known = exceptions[subscription.id] ?? version
        return known == Version(0) ? nil : known
    }
}
