package import ObjectModel

/// The states that a client of a set's stream has received, as encoded in the ids of the stream's events:
/// `MARK.REVISION`, followed by `;ID=MARK` for each subscription that is at another state. `0` replaces a mark where
/// the client has received nothing.
///
/// The events of one commit arrive one by one, so a stream may end between them.
package struct StreamPosition: Hashable, Sendable {
    /// The state of all subscriptions that are not exceptions; nil for none.
    package var mark: Mark?
    /// The set's revision. The client has received nothing of queries that were set at a later revision.
    package var revision: UInt64
    /// The states of the other subscriptions, by their numbers in the set.
    package var exceptions: [Int: Mark?] = [:]

    package init(_ mark: Mark?, _ revision: UInt64, exceptions: [Int: Mark?] = [:]) {
        self.mark = mark
        self.revision = revision
        self.exceptions = exceptions
    }

    /// Creates the position with the fewest exceptions.
    ///
    /// - Parameters:
    ///   - versions: the version of each subscription that the client has received; nil for none.
    ///   - mark: returns the mark of a version; nil if its history is not known, which then counts as not received.
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

    /// Returns the state of a subscription that the client has received; nil for none.
    package func mark(of id: Int) -> Mark? {
        if let known = exceptions[id] { return known }
        return mark
    }

    /// The latest state that the client has received of any subscription; nil if it has received nothing.
    package var newest: Mark? {
        exceptions.values.reduce(mark) { known, other in
            guard let known, let other else { return known ?? other }
            return known.version < other.version ? other : known
        }
    }

    /// The version up to which the client has received all subscriptions; 0 if it has received nothing of one.
    package var reached: Version {
        exceptions.values.reduce(mark?.version ?? Version(0)) { min($0, $1?.version ?? Version(0)) }
    }
}

extension StreamPosition: LosslessStringConvertible {
    /// Returns nil if the text is not such an id.
    package init?(_ text: String) {
        // A number without a history tag identifies no state.
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
            guard pair.count == 2, let id = Int(pair[0]), let known = mark(pair[1]) else { return nil }
            exceptions[id] = .some(known)
        }
    }

    package var description: String {
        let rest = exceptions.sorted { $0.key < $1.key }.map { ";\($0.key)=\(Self.text($0.value))" }
        return "\(Self.text(mark)).\(revision)" + rest.joined()
    }

    private static func text(_ mark: Mark?) -> String { mark?.description ?? "0" }
}
