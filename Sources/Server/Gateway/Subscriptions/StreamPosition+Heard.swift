import ObjectModel
import WireProtocol

extension StreamPosition {
    /// Returns the part of the position that belongs to this store's history. States of another history count as not
    /// received.
    func heard(isKnown: (Mark) -> Bool) -> StreamPosition {
        func known(_ mark: Mark?) -> Mark? { mark.flatMap { isKnown($0) ? $0 : nil } }
        return StreamPosition(known(mark), revision, exceptions: exceptions.mapValues(known))
    }

    /// The version from which a subscription continues; nil if it must begin again.
    func version(of subscription: Subscription) -> Version? {
        subscription.revision <= revision ? mark(of: subscription.id)?.version : nil
    }
}
