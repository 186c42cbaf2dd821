package import ObjectModel

/// What a client of a set's stream has heard of, as the ids of the stream's events say it: `MARK.REVISION`, followed by
/// `;ID=MARK` for each subscription that is at another state. `0` stands where nothing has been heard.
///
/// The events of one commit come one by one, so that a stream may break off between them.
package struct StreamPosition: Hashable, Sendable {
    /// The state that all others are at; nil for nothing.
    package var mark: Mark?
    /// The set's revision: what subscriptions ask for since a later one has not been heard of.
    package var revision: UInt64
    /// By the number of the subscription in its set.
    package var exceptions: [Int: Mark?] = [:]

    package init(_ mark: Mark?, _ revision: UInt64, exceptions: [Int: Mark?] = [:]) {
        self.mark = mark
        self.revision = revision
        self.exceptions = exceptions
    }

    /// The position with the fewest exceptions.
    ///
    /// - Parameters:
    ///   - versions: what has been heard of each subscription.
    ///   - mark: that of a version; nil for one whose history is not known, which then counts as not heard of.
    package init(_ versions: [Int: Version?], revision: UInt64, mark: (Version) -> Mark?) {
        var counts: [Version: Int] = [:]
        for version in versions.values { counts[version ?? Version(0), default: 0] += 1 }
        let common = counts.max { ($0.value, $0.key) < ($1.value, $1.key) }?.key ?? Version(0)
        func name(_ version: Version) -> Mark? { version == Version(0) ? nil : mark(version) }
        self.init(name(common), revision)
        for (id, version) in versions where version ?? Version(0) != common {
            exceptions[id] = .some(version.flatMap(name))
        }
    }

    /// Of what was heard of a subscription; nil for nothing.
    package func mark(of id: Int) -> Mark? {
        if let known = exceptions[id] { return known }
        return mark
    }

    /// The version that has been heard of all subscriptions; 0 when nothing has been heard of one.
    package var reached: Version {
        exceptions.values.reduce(mark?.version ?? Version(0)) { min($0, $1?.version ?? Version(0)) }
    }
}

extension StreamPosition: LosslessStringConvertible {
    /// Nil for text that is no such id.
    package init?(_ text: String) {
        // A number alone names no state.
        func mark(_ text: Substring) -> Mark?? {
            if let mark = Mark(text) { return .some(mark.version == Version(0) ? nil : mark) }
            return UInt64(text) == nil ? .none : .some(nil)
        }
        let parts = text.split(separator: ";", omittingEmptySubsequences: false)
        let base = parts[0].split(separator: ".", omittingEmptySubsequences: false)
        guard base.count == 2, let common = mark(base[0]), let revision = UInt64(base[1]) else { return nil }
        self.init(common, revision)
        for part in parts.dropFirst() {
            let pair = part.split(separator: "=", omittingEmptySubsequences: false)
            guard pair.count == 2, let id = Int(pair[0]), let heard = mark(pair[1]) else { return nil }
            exceptions[id] = .some(heard)
        }
    }

    package var description: String {
        let rest = exceptions.sorted { $0.key < $1.key }.map { ";\($0.key)=\(Self.text($0.value))" }
        return "\(Self.text(mark)).\(revision)" + rest.joined()
    }

    private static func text(_ mark: Mark?) -> String { mark?.description ?? "0" }
}
