import Dispatch
import Foundation
import OpenCombine

/// A signal from an observation to its publisher.
enum PublishedSignal<Output> {
    case value(Output)
    /// The last signal.
    case finished
}

/// The source of a publisher's values.
public struct _PublisherSource<Output> {
    /// The queue to observe on; nil for the queue or thread where the subscription begins.
    var queue: DispatchQueue?
    /// Called with the token of each subscription.
    var save: ((NotificationToken) -> Void)?
    /// Begins the observation.
    let begin: (DispatchQueue?, @escaping (PublishedSignal<Output>) -> Void) -> NotificationToken
    /// Combines two consecutive values; nil if they cancel each other out.
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
        source.queue = trapOnError { try serialQueue(scheduler) }
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

/// One subscriber's observation. It ends when it is cancelled or released.
///
/// Values beyond the subscriber's demand are combined into one pending value.
final class PublisherSubscription<S: Subscriber>: Subscription {
    private let lock = NSLock()
    private let merge: (S.Input, S.Input) -> S.Input?
    /// Nil after completion or cancellation.
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

    /// Delivers the pending value if there is demand. Only one call delivers at a time; a nested or concurrent call
    /// leaves the work to it.
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
