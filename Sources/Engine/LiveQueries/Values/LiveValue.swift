package import ViewMaintenance
package import ObjectModel
import QueryLanguage
package import StoreContract

/// An answer that is read as a whole, and what it depends on. Equal ones give the same answer at the same version.
package struct LiveValue: Hashable, Sendable {
    /// Data whose changes may make it another answer.
    package struct Part: Hashable, Sendable {
        let subject: LiveViewID
        let interest: LiveInterest
        let extent: LiveExtent

        /// - Parameters:
        ///   - keyPaths: see `LiveQueries.observe`, as for `shape`.
        ///   - extent: which changes of a query's result matter.
        package init(
            _ subject: LiveViewID, keyPaths: [LiveKeyPath] = [], showing shape: LiveShape? = nil,
            extent: LiveExtent = .all
        ) {
            self.subject = subject
            interest = LiveInterest(keyPaths, showing: shape)
            self.extent = extent
        }
    }

    let parts: [Part]
    let source: AnyValueSource

    package init(_ source: AnyValueSource, dependingOn parts: [Part]) {
        self.source = source
        self.parts = parts
    }

    /// The object whose property the answer is about; nil for one about whole classes.
    var holder: ObjectReference? { parts.lazy.compactMap(\.subject.holder).first }

    /// Whether the object whose property the answer is about exists, if it is about one.
    func holderExists(in reads: any ObjectReads) throws -> Bool { try holder.map { try reads.exists($0) } ?? true }
}

/// Reads an answer at any version of one schema.
package protocol LiveValueSource: Hashable, Sendable {
    /// Returns the answer, in a form that only equal answers have. Throws the errors of the store, and its own. Cost:
    /// that of the read.
    func read(_ reads: any ObjectReads) throws -> [UInt8]
    /// How the answer is kept current without reading it, if it is a histogram of the query that its first part is.
    var histogram: LiveHistogram? { get }
}

extension LiveValueSource {
    package var histogram: LiveHistogram? { nil }
}

/// A source of any type, for comparing sources.
package struct AnyValueSource: Hashable, Sendable {
    private let source: any LiveValueSource

    package init(_ source: any LiveValueSource) { self.source = source }

    func read(_ reads: any ObjectReads) throws -> [UInt8] { try source.read(reads) }

    var histogram: LiveHistogram? { source.histogram }

    package static func == (a: AnyValueSource, b: AnyValueSource) -> Bool {
        func isEqual<Source: LiveValueSource>(_ one: Source) -> Bool { one == b.source as? Source }
        return isEqual(a.source)
    }

    package func hash(into hasher: inout Hasher) { source.hash(into: &hasher) }
}

/// An answer, for comparison. Long ones are kept as their fingerprints alone.
struct ValueContent: Equatable, Sendable {
    private static let storedLimit = 1 << 20

    /// Nil if it is long.
    let bytes: [UInt8]?
    private let fingerprint: Int

    init(_ bytes: [UInt8]) {
        self.bytes = bytes.count > Self.storedLimit ? nil : bytes
        var hasher = Hasher()
        bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
        hasher.combine(bytes.count)
        fingerprint = hasher.finalize()
    }
}

/// Another answer than at the observer's previous event.
package final class LiveValueChange: LiveDifference {
    /// The store at the version that the change leads to. It pins that version: do not keep the change.
    package let snapshot: any Snapshot
    package let version: Version
    /// The whole new answer.
    package let bytes: [UInt8]
    private let earlier: ValueContent

    init(snapshot: any Snapshot, bytes: [UInt8], earlier: ValueContent) {
        self.snapshot = snapshot
        version = snapshot.version
        self.bytes = bytes
        self.earlier = earlier
    }

    package func followed(by next: LiveValueChange) -> LiveValueChange? {
        guard ValueContent(next.bytes) != earlier else { return nil }
        return LiveValueChange(snapshot: next.snapshot, bytes: next.bytes, earlier: earlier)
    }

    package func moved(to snapshot: any Snapshot) -> LiveValueChange {
        LiveValueChange(snapshot: snapshot, bytes: bytes, earlier: earlier)
    }
}

/// The event of an answer.
package typealias LiveValueEvent = LiveEvent<[UInt8], LiveValueChange>

extension LiveViewID {
    /// The object whose property it is about, or the object itself; nil for whole classes.
    fileprivate var holder: ObjectReference? {
        switch self {
        case .query(let query), .sections(let query, _): query.scope.holder
        case .aggregate(let aggregate): aggregate.query.scope.holder
        case .value(let value): value.holder
        case .collection(let object, _), .object(let object): object
        case .nested(let path): path.object
        }
    }
}

extension QueryScope {
    fileprivate var holder: ObjectReference? {
        if case .property(let holder, _) = self { holder } else { nil }
    }
}
