import ObjectModel
import WireProtocol

extension StreamPosition {
    /// What of it this store knows: of what was heard in another history, nothing was heard.
    func heard(isKnown: (Mark) -> Bool) -> StreamPosition {
        func known(_ mark: Mark?) -> Mark? { mark.flatMap { isKnown($0) ? $0 : nil } }
        return StreamPosition(known(mark), revision, exceptions: exceptions.mapValues(known))
    }

    /// The version that a subscription is to go on from; nil for one that has to begin.
    func version(of subscription: Subscription) -> Version? {
        subscription.revision <= revision ? mark(of: subscription.id)?.version : nil
    }
}
