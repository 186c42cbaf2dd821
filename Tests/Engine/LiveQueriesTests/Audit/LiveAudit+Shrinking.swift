import Foundation

extension LiveAudit {
    /// A failing audit, with this fault or another, with as few steps and operations as can be found within some
    /// seconds.
    func shrunk(seconds: Double = 20) -> LiveAudit {
        let deadline = Date().addingTimeInterval(seconds)
        var best = withFaultySubjectAlone() ?? self
        func stillFails(_ candidate: LiveAudit) -> Bool {
            Date() < deadline && (try? candidate.run())?.fault != nil
        }
        var size = max(1, best.steps.count / 2)
        while Date() < deadline {
            var start = 0
            var removedAny = false
            while start < best.steps.count {
                var candidate = best
                candidate.steps.removeSubrange(start..<min(start + size, best.steps.count))
                candidate.steps.append(.compare)
                if stillFails(candidate) {
                    best = candidate
                    removedAny = true
                } else {
                    start += size
                }
            }
            if size == 1, !removedAny { break }
            size = max(1, size / 2)
        }
        for index in best.steps.indices {
            guard case .commit(var operations) = best.steps[index] else { continue }
            var index = 0
            while index < operations.count {
                var fewer = operations
                fewer.remove(at: index)
                var candidate = best
                candidate.steps[index] = .commit(fewer)
                if stillFails(candidate) {
                    operations = fewer
                    best = candidate
                } else {
                    index += 1
                }
            }
        }
        return best
    }

    /// The history up to the fault, with nothing else observed; nil when it does not fail then.
    private func withFaultySubjectAlone() -> LiveAudit? {
        guard let position = (try? run())?.position else { return nil }
        var alone = self
        alone.subjects = [subjects[position.subject]]
        alone.steps = steps.prefix(position.step + 1).compactMap { step in
            guard case .resume(let index, let back) = step else { return step }
            return index == position.subject ? .resume(subject: 0, back: back) : nil
        }
        return (try? alone.run())?.fault == nil ? nil : alone
    }
}
