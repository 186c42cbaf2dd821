import ViewMaintenance
import ObjectModel
import StoreContract

/// The subject of an observation, and its visibility filter.
struct LiveAddress: Hashable, Sendable {
    let visibility: AnyVisibilityFilter?
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
    /// Its visibility filter; nil for an observer that sees everything.
    var visibility: AnyVisibilityFilter?

    /// Makes the view at the snapshot. Throws when it does not fit the schema, and `notFound`.
    func makeView(_ snapshot: any Snapshot) throws -> LiveView {
        try LiveView(of: subject, at: snapshot, isResumed: since != nil)
    }
}
