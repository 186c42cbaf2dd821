import Dispatch

extension AccessControl {
    private static let queue = DispatchQueue(label: "realmgate.access", qos: .utility)

    /// Checks for changes every second from now on, while the access control exists.
    package func watch() {
        Self.queue.asyncAfter(deadline: .now() + 1) { [weak self] in
            self?.look()
            self?.watch()
        }
    }
}
