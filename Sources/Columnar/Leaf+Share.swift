package import ObjectModel

/// Which share of a leaf's slots a closed range keeps, judged by the header alone: exactly 0 or 1 when that is certain,
/// else as if the values were spread evenly.
extension Leaf {
    /// bool (as 0 and 1), int and link leaves.
    package func share(integers low: Int64, through high: Int64) -> Double {
        share(Double(low), Double(high), Double(minimumInteger), Double(maximumInteger)) {
            low > high || high < minimumInteger || low > maximumInteger
                ? false : (low <= minimumInteger && high >= maximumInteger ? true : nil)
        }
    }

    package func share(dates low: Timestamp, through high: Timestamp) -> Double {
        share(Double(low.seconds), Double(high.seconds), Double(minimumInteger), Double(maximumInteger)) {
            if low > high || high.seconds < minimumInteger || low.seconds > maximumInteger { return false }
            return low.seconds < minimumInteger && high.seconds > maximumInteger ? true : nil
        }
    }

    /// float and double leaves.
    package func share(floating low: Double, through high: Double) -> Double {
        let minimum = Double(bitPattern: minimumBits)
        let maximum = Double(bitPattern: maximumBits)
        return share(low, high, minimum, maximum) {
            if !(low <= high) || high < minimum || low > maximum { return false }
            return low <= minimum && high >= maximum && !hasNaN ? true : nil
        }
    }

    /// decimal128 leaves, whose headers tell nothing of the values.
    package func share(decimals range: DecimalRange) -> Double {
        guard count > nullCount, !range.isEmpty else { return 0 }
        return 0.3 * Double(count - nullCount) / Double(count)
    }

    private func share(
        _ low: Double, _ high: Double, _ minimum: Double, _ maximum: Double, _ certain: () -> Bool?
    ) -> Double {
        guard count > nullCount else { return 0 }
        let present = Double(count - nullCount) / Double(count)
        switch certain() {
        case true?: return present
        case false?: return 0
        case nil:
            let width = maximum - minimum
            let common = min(high, maximum) - max(low, minimum)
            guard width.isFinite, width > 0, common.isFinite else { return 0.3 * present }
            return min(0.999, max(0.001, common / width)) * present
        }
    }
}
