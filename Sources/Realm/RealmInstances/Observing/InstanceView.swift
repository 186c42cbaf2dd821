import LiveQueries
import ObjectModel
import StoreContract

/// The state that the observers of one subject on one instance share: a view, at one version. Used on the instance's
/// scheduler.
final class InstanceView {
    enum Stage {
        /// The view is being prepared in the background.
        case preparing(ViewPreparation)
        case ready(LiveView)
        /// The view can no longer be used. Observers that have not had their first call must still be notified of the
        /// error.
        case failed(any Error)
    }

    let id: LiveViewID
    var stage: Stage
    /// The version of the view; nil if it is the version that the instance records for all views.
    var baseline: (any Snapshot)?
    /// The observers, by the order of their registration.
    var observers: Set<Int> = []

    init(_ id: LiveViewID, _ stage: Stage, at baseline: any Snapshot) {
        self.id = id
        self.stage = stage
        self.baseline = baseline
    }

    var isReady: Bool {
        if case .ready = stage { true } else { false }
    }

    /// Whether observers can have their first call.
    var canBegin: Bool {
        switch stage {
        case .preparing(let preparation): preparation.isReady
        case .ready, .failed: true
        }
    }
}

extension LiveViewID {
    /// The object that must exist for an observation.
    var object: ObjectReference? {
        switch self {
        case .query, .sections, .aggregate, .value: nil
        case .collection(let object, _), .object(let object): object
        case .nested(let path): path.object
        }
    }

    /// Whether observers share a view. An object's observers do not: its view keeps nothing worth sharing, and the old
    /// values that an observer receives depend on when it began.
    var isShared: Bool {
        if case .object = self { false } else { true }
    }
}
