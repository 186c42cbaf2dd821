import Synchronization

/// The address of a server that is killed and started again, for the threads of a test.
final class ChangingAddress: Sendable {
    private let value = Mutex<Int?>(nil)
    private let isOver = Mutex(false)

    /// The port while the server runs.
    var port: Int? {
        get { value.withLock { $0 } }
        set { value.withLock { $0 = newValue } }
    }

    /// Whether the test is over.
    var over: Bool {
        get { isOver.withLock { $0 } }
        set { isOver.withLock { $0 = newValue } }
    }
}
