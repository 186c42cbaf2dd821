import LMDBStorage
import Dispatch

/// Reports the length of a file ten times a second, while a writer that reports no progress fills it.
struct CopyProgress {
    private let queue = DispatchQueue(label: "realmgate.copy")
    private let timer: (any DispatchSourceTimer)?

    init(_ presence: FilePresence, _ progress: (@Sendable (Int) -> Void)?) {
        guard let progress else {
            timer = nil
            return
        }
        let timer = DispatchSource.makeTimerSource(queue: queue)
        timer.schedule(deadline: .now(), repeating: .milliseconds(100))
        // The handler may outlive the timer, and must not keep the file locked.
        timer.setEventHandler { [weak presence] in
            if let presence { progress(presence.fileSize) }
        }
        timer.resume()
        self.timer = timer
    }

    /// Ends the reports. Afterwards there are no more calls, and the file is no longer held.
    func stop() {
        timer?.cancel()
        queue.sync {}
    }
}
