import Dispatch
import Glibc
import ViewMaintenance
import LiveQueries
import ObjectModel
import QueryLanguage
import StoreContract
import Synchronization

/// Times of one kind of change, in microseconds.
struct Times {
    /// The write, until it is on disk.
    var commit: [Double] = []
    /// From the snapshot of the new version to the event in the observer's hands.
    var advance: [Double] = []
    /// Of that, what the thread worked.
    var busy: [Double] = []

    /// A row's cells: medians, and the 99th percentile of `advance`.
    var cells: String {
        func at(_ hundredths: Int, _ times: [Double]) -> String {
            times.isEmpty ? "–" : text(times.sorted()[times.count * hundredths / 100])
        }
        return "\(at(50, commit)) | \(at(50, advance)) | \(at(50, busy)) | \(at(99, advance))"
    }
}

/// Observes one query and times how long changes take to reach it.
final class Probe {
    private let live: LiveQueries
    private let tokens: [LiveToken]
    private let last: Last
    let initialMilliseconds: Double

    /// The last event.
    private final class Last: Sendable {
        let elapsed = Atomic<UInt64>(0)
        let busy = Atomic<UInt64>(0)
        let events = Atomic<Int>(0)

        func note<State, Change>(_ event: LiveEvent<State, Change>, _ store: StopwatchStore) {
            switch event {
            case .update:
                elapsed.store(store.elapsed, ordering: .releasing)
                busy.store(store.busy, ordering: .releasing)
                events.add(1, ordering: .acquiringAndReleasing)
            case .failed(let error): fatalError("\(error)")
            case .initial, .resumed, .deleted: break
            }
        }
    }

    init(
        _ catalogue: Catalogue, _ queries: [BoundQuery] = [], keyPaths: [LiveKeyPath] = [],
        _ aggregates: [LiveAggregate] = [], _ answers: [LiveValue] = []
    ) throws {
        let store = StopwatchStore(catalogue.store)
        let live = try LiveQueries(store)
        let last = Last()
        let start = DispatchTime.now().uptimeNanoseconds
        let queries = queries.map { live.observe($0, keyPaths: keyPaths) { last.note($0, store) } }
        tokens =
            queries + aggregates.map { live.observeAggregate($0) { last.note($0, store) } }
            + answers.map { live.observeValue($0) { last.note($0, store) } }
        live.settle()
        initialMilliseconds = Double(DispatchTime.now().uptimeNanoseconds - start) / 1e6
        self.live = live
        self.last = last
    }

    var eventCount: Int { last.events.load(ordering: .acquiring) }

    /// Commits and notes the times; changes that are not told are not counted.
    func time(_ times: inout Times, _ commit: () throws -> Void) rethrows {
        let before = eventCount
        let start = DispatchTime.now().uptimeNanoseconds
        try commit()
        let committed = DispatchTime.now().uptimeNanoseconds
        live.settle()
        guard eventCount > before else { return }
        times.commit.append(Double(committed - start) / 1000)
        times.advance.append(Double(last.elapsed.load(ordering: .acquiring)) / 1000)
        times.busy.append(Double(last.busy.load(ordering: .acquiring)) / 1000)
    }
}

/// The median time of a read, in milliseconds.
func milliseconds(_ read: () throws -> Void) rethrows -> Double {
    var times: [Double] = []
    for _ in 0..<15 {
        let start = DispatchTime.now().uptimeNanoseconds
        try read()
        times.append(Double(DispatchTime.now().uptimeNanoseconds - start) / 1e6)
    }
    return times.sorted()[times.count / 2]
}

/// The most memory that the program has had so far, and what it has now, in megabytes; what it has now also in bytes.
func memory() -> (peak: Int, now: Int, bytes: Int) {
    guard let file = fopen("/proc/self/status", "r") else { return (0, 0, 0) }
    defer { fclose(file) }
    var result = (peak: 0, now: 0, bytes: 0)
    var line = [CChar](repeating: 0, count: 256)
    while fgets(&line, 256, file) != nil {
        let text = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let kilobytes = Int(text.filter(\.isNumber)) ?? 0
        if text.hasPrefix("VmHWM:") { result.peak = kilobytes / 1024 }
        if text.hasPrefix("RssAnon:") { (result.now, result.bytes) = (kilobytes / 1024, kilobytes * 1024) }
    }
    return result
}

func text(_ value: Double) -> String {
    if value >= 100 { return String(Int(value.rounded())) }
    let tenths = Int((value * 10).rounded())
    return "\(tenths / 10).\(tenths % 10)"
}
