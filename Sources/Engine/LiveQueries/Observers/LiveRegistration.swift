import ViewMaintenance
import ObjectModel
import StoreContract

/// The subject of an observation, and its lens.
struct LiveAddress: Hashable, Sendable {
    let lens: AnyLens?
    let subject: LiveViewID
}

/// A request to observe something.
struct LiveRegistration: Sendable {
    let subject: LiveViewID
    /// A subscriber for events of the view's kind.
    let subscriber: any LiveSubscriber
    let keyPaths: [LiveKeyPath]
    /// The data of each object that it shows, if it gives no key paths.
    var shape: LiveShape?
    /// The version that the observer saw last, if it resumes.
    let since: Version?
    /// Its lens; nil for an observer that sees everything.
    var lens: AnyLens?

    /// Makes the view at the snapshot. Throws when it does not fit the schema, and `notFound`.
    func makeView(_ snapshot: any Snapshot) throws -> LiveView {
        try LiveView(of: subject, at: snapshot, isResumed: since != nil)
    }
}
