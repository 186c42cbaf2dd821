import Foundation
import ObjectModel

extension Timestamp {
    /// Converts with a resolution of one nanosecond, truncated toward zero. Dates out of range become the first or last
    /// possible time, and NaN becomes 1970.
    init(_ date: Date) {
        let interval = date.timeIntervalSince1970
        guard !interval.isNaN else {
            self = .epoch
            return
        }
        guard let seconds = Int64(exactly: interval.rounded(.towardZero)) else {
            self = Timestamp(seconds: interval < 0 ? .min : .max)
            return
        }
        // Foundation stores the time since 2001, which has more significant digits than the time since 1970.
        let reference = date.timeIntervalSinceReferenceDate
        let fraction = reference - reference.rounded(.down)
        let nanoseconds = Int32(fraction * 1_000_000_000)
        let floor = Int64(exactly: (reference.rounded(.down) + Date.timeIntervalBetween1970AndReferenceDate)) ?? seconds
        self.init(floorSeconds: floor, fraction: Swift.min(nanoseconds, 999_999_999))
    }
}

extension Date {
    init(_ time: Timestamp) {
        let whole = Double(time.seconds) - Date.timeIntervalBetween1970AndReferenceDate
        self.init(timeIntervalSinceReferenceDate: whole + Double(time.nanoseconds) / 1_000_000_000)
    }
}

extension UUIDValue {
    init(_ uuid: UUID) {
        let bytes = withUnsafeBytes(of: uuid.uuid) { Array($0) }
        self = UUIDValue(bytes: bytes) ?? UUIDValue(high: 0, low: 0)
    }
}

extension UUID {
    init(_ value: UUIDValue) {
        var bytes = uuid_t(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
        withUnsafeMutableBytes(of: &bytes) { $0.copyBytes(from: value.bytes) }
        self.init(uuid: bytes)
    }
}
