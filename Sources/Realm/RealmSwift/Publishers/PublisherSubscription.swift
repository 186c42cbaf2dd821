import Dispatch
import Foundation
import OpenCombine

/// What an observation tells a publisher.
enum PublishedSignal<Output> {
    case value(Output)
    /// Nothing follows.
    case finished
}

/// How a publisher's subscribers come to their values.
public struct _PublisherSource<Output> {
    /// Where it is observed; nil for where the subscription begins.
    var queue: DispatchQueue?
    /// Is given the token of each subscription.
    var save: ((NotificationToken) -> Void)?
    /// Begins to observe.
    let begin: (DispatchQueue?, @escaping (PublishedSignal<Output>) -> Void) -> NotificationToken
    /// One value that tells what two that follow each other do; nil when they cancel out.
    let merge: (Output, Output) -> Output?

    init(
        merge: @escaping (Output, Output) -> Output?,
        begin: @escaping (DispatchQueue?, @escaping (PublishedSignal<Output>) -> Void) -> NotificationToken
    ) {
        self.begin = begin
        self.merge = merge
    }

    func attach<S: Subscriber>(_ subscriber: S) where S.Input == Output {
        let subscription = PublisherSubscription(subscriber, merge)
        subscriber.receive(subscription: subscription)
        guard subscription.isWanted else { return }
        let token = begin(queue) { [weak subscription] signal in subscription?.take(signal) }
        subscription.keep(token)
        save?(token)
    }

    func subscribed(on scheduler: some Scheduler) -> _PublisherSource {
        var source = self
        source.queue = raising { try serialQueue(scheduler) }
        return source
    }

    func saving<T>(_ object: T, _ keyPath: WritableKeyPath<T, NotificationToken?>) -> _PublisherSource {
        var source = self
        source.save = { token in
            var object = object
            object[keyPath: keyPath] = token
        }
        return source
    }
}

/// One subscriber's observation. It ends when it is cancelled or dropped.
///
/// What the subscriber has not asked for yet is kept as one value that tells all of it.
final class PublisherSubscription<S: Subscriber>: Subscription {
    private let lock = NSLock()
    private let merge: (S.Input, S.Input) -> S.Input?
    /// Nil at the end.
    private var subscriber: S?
    private var token: NotificationToken?
    private var demand = Subscribers.Demand.none
    private var pending: S.Input?
    private var isFinished = false
    private var isDelivering = false

    init(_ subscriber: S, _ merge: @escaping (S.Input, S.Input) -> S.Input?) {
        self.subscriber = subscriber
        self.merge = merge
    }

    deinit { token?.invalidate() }

    var isWanted: Bool { lock.withLock { subscriber != nil } }

    func keep(_ token: NotificationToken) {
        let isKept = lock.withLock {
            guard subscriber != nil else { return false }
            self.token = token
            return true
        }
        if !isKept { token.invalidate() }
    }

    func take(_ signal: PublishedSignal<S.Input>) {
        lock.withLock {
            switch signal {
            case .value(let value):
                if let earlier = pending { pending = merge(earlier, value) } else { pending = value }
            case .finished: isFinished = true
            }
        }
        deliver()
    }

    func request(_ demand: Subscribers.Demand) {
        lock.withLock { self.demand += demand }
        deliver()
    }

    func cancel() {
        let token = lock.withLock {
            defer { (self.token, subscriber, pending) = (nil, nil, nil) }
            return self.token
        }
        token?.invalidate()
    }

    /// Gives what is there and asked for. One call at a time: another one, within it or elsewhere, leaves the rest to it.
    private func deliver() {
        while let (subscriber, value) = next() {
            let more = subscriber.receive(value)
            lock.withLock {
                demand += more
                isDelivering = false
            }
        }
        let finished = lock.withLock { () -> S? in
            guard isFinished, pending == nil, !isDelivering else { return nil }
            defer { subscriber = nil }
            return subscriber
        }
        finished?.receive(completion: .finished)
    }

    private func next() -> (S, S.Input)? {
        lock.withLock {
            guard !isDelivering, demand > .none, let subscriber, let value = pending else { return nil }
            pending = nil
            demand -= 1
            isDelivering = true
            return (subscriber, value)
        }
    }
}
