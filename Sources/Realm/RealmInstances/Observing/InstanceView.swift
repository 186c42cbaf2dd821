import LiveQueries
import ObjectModel
import StoreContract

/// What the observers of one instance that observe the same have together: one view, at one version. Used on the
/// instance's scheduler.
final class InstanceView {
    enum Stage {
        /// Is made in the background.
        case preparing(ViewPreparation)
        case ready(LiveView)
        /// Of no use any more. Observers that were not called yet are still to be told why.
        case failed(any Error)
    }

    let id: LiveViewID
    var stage: Stage
    /// The version that the view is at; nil when that is what the instance says that all are at.
    var baseline: (any Snapshot)?
    /// By their orders.
    var observers: Set<Int> = []

    init(_ id: LiveViewID, _ stage: Stage, at baseline: any Snapshot) {
        self.id = id
        self.stage = stage
        self.baseline = baseline
    }

    var isReady: Bool {
        if case .ready = stage { true } else { false }
    }

    /// Whether observers can have their first calls.
    var canBegin: Bool {
        switch stage {
        case .preparing(let preparation): preparation.isReady
        case .ready, .failed: true
        }
    }
}

extension LiveViewID {
    /// The object that must exist for it.
    var object: ObjectReference? {
        switch self {
        case .query, .sections: nil
        case .collection(let object, _), .object(let object): object
        }
    }

    /// Whether observers share a view. Of one object nothing is kept that could be shared, and what each observer is told
    /// of old values depends on when it began.
    var isShared: Bool {
        if case .object = self { false } else { true }
    }
}
