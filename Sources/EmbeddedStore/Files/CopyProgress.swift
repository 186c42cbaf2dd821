import Dispatch

/// Tells ten times a second how long a file is that somebody writes who does not tell.
struct CopyProgress {
    private let timer: (any DispatchSourceTimer)?

    init(_ presence: FilePresence, _ progress: (@Sendable (Int) -> Void)?) {
        guard let progress else {
            timer = nil
            return
        }
        let timer = DispatchSource.makeTimerSource()
        timer.schedule(deadline: .now(), repeating: .milliseconds(100))
        timer.setEventHandler { progress(presence.fileSize) }
        timer.resume()
        self.timer = timer
    }

    func stop() { timer?.cancel() }
}
