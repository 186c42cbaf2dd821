import Dispatch

/// Tells ten times a second how long a file is that somebody writes who does not tell.
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

    /// Ends it. Nothing is told any more after that, and nobody holds the file.
    func stop() {
        timer?.cancel()
        queue.sync {}
    }
}
