import Dispatch

/// Runs `body` `runs` times after one warm-up and gives the median in microseconds.
func medianMicroseconds(runs: Int, _ body: () throws -> Void) rethrows -> Double {
    try body()
    var times: [Double] = []
    for _ in 0..<runs {
        let start = DispatchTime.now().uptimeNanoseconds
        try body()
        times.append(Double(DispatchTime.now().uptimeNanoseconds - start) / 1000)
    }
    return times.sorted()[times.count / 2]
}

/// One question asked of both stores.
struct Row {
    let question: String
    let realmgate: Double
    /// With a snapshot that was just made, after a commit.
    var first: Double?
    let sqlite: Double
    /// The figure of a prototype of the column scans, where there is one, in microseconds.
    let prototype: Double?
    /// That of Realm's C++ core, of another machine of this kind.
    var realm: Double?

    var markdown: String {
        let ratio = sqlite / realmgate
        let prototypeText = prototype.map { "\(text($0)) (×\(text(realmgate / $0)))" } ?? "–"
        let realmText = realm.map { "\(text($0)) (\(text($0 / realmgate)))" } ?? "–"
        let firstText = first.map(text) ?? "–"
        return
            "| \(question) | \(text(realmgate)) | \(firstText) | \(text(sqlite)) | \(text(ratio)) | \(prototypeText) | \(realmText) |"
    }

    private func text(_ value: Double) -> String {
        if value >= 1000 { return String(Int(value.rounded())) }
        return String((value * 100).rounded() / 100)
    }
}
