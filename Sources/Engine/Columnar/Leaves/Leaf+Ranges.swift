package import ObjectModel

/// Narrowing a selection to the slots whose value lies in a closed range, or, inverted, to all others.
///
/// A null lies in no range, and neither does a NaN. The minimum and maximum in the header are checked first: often no
/// values are read at all. `scratch` is overwritten. An empty range has its lower bound above its upper one.
extension Leaf {
    /// For bool (as 0 and 1), int and link leaves.
    package func narrow(
        _ mask: SelectionMask, integers low: Int64, through high: Int64, inverted: Bool, scratch: SelectionMask
    ) {
        precondition(encoding == .packed && kind != .date, "not an integer leaf")
        checkSlots(mask)
        selectPacked(low, through: high, into: scratch, for: mask)
        finish(mask, scratch, inverted)
    }

    /// Keeps the slots of nulls, or all others.
    package func narrow(_ mask: SelectionMask, toNulls wanted: Bool) {
        checkSlots(mask)
        if wanted, nulls == nil { return mask.removeAll() }
        guard nulls != nil else { return }
        for index in 0..<mask.wordCount {
            let word = nullWord(index)
            mask.words[index] &= wanted ? word : ~word
        }
    }

    package func narrow(
        _ mask: SelectionMask, doubles low: Double, through high: Double, inverted: Bool, scratch: SelectionMask
    ) {
        precondition(kind == .double, "not a double leaf")
        checkSlots(mask)
        if let zone = floatingZone(low, high) {
            fill(scratch, zone)
        } else {
            scratch.reset(slotCount: count)
            Kernels.best.select(doubles: values, count, low, high, into: scratch.words)
        }
        finish(mask, scratch, inverted)
    }

    package func narrow(
        _ mask: SelectionMask, floats low: Float, through high: Float, inverted: Bool, scratch: SelectionMask
    ) {
        precondition(kind == .float, "not a float leaf")
        checkSlots(mask)
        if let zone = floatingZone(Double(low), Double(high)) {
            fill(scratch, zone)
        } else {
            scratch.reset(slotCount: count)
            Kernels.best.select(floats: values, count, low, high, into: scratch.words)
        }
        finish(mask, scratch, inverted)
    }

    package func narrow(
        _ mask: SelectionMask, dates low: Timestamp, through high: Timestamp, inverted: Bool, scratch: SelectionMask
    ) {
        precondition(kind == .date, "not a date leaf")
        checkSlots(mask)
        if low > high {
            fill(scratch, false)
        } else if side == 0 {
            // Whole seconds only: a bound with a fraction lies between two of them.
            let (first, none) = low.seconds.addingReportingOverflow(low.nanoseconds > 0 ? 1 : 0)
            let (last, nothing) = high.seconds.subtractingReportingOverflow(high.nanoseconds < 0 ? 1 : 0)
            if none || nothing {
                fill(scratch, false)
            } else {
                selectPacked(first, through: last, into: scratch, for: mask)
            }
        } else {
            selectPacked(low.seconds, through: high.seconds, into: scratch, for: mask)
            if !inverted { scratch.formIntersection(mask) }
            scratch.filter { slot in
                let seconds = minimumInteger &+ Int64(bitPattern: unpack(slot))
                guard seconds == low.seconds || seconds == high.seconds else { return true }
                let date = date(at: slot)
                return low <= date && date <= high
            }
        }
        finish(mask, scratch, inverted)
    }

    /// Keeps the slots that are not null and whose number `test` accepts, or, inverted, all others: for kinds without a
    /// kernel.
    package func narrow(_ mask: SelectionMask, inverted: Bool, where test: (Int) -> Bool) {
        checkSlots(mask)
        mask.filter { slot in (!isNull(slot) && test(slot)) != inverted }
    }

    // MARK: Parts

    /// Selects the slots whose packed value lies in the range in `scratch`; those of nulls may be wrong.
    func selectPacked(_ low: Int64, through high: Int64, into scratch: SelectionMask, for mask: SelectionMask) {
        let minimum = minimumInteger
        let maximum = maximumInteger
        if low > high || high < minimum || low > maximum { return fill(scratch, false) }
        if low <= minimum, high >= maximum { return fill(scratch, true) }
        scratch.reset(slotCount: count)
        let start = UInt64(bitPattern: max(low, minimum) &- minimum)
        let span = UInt64(bitPattern: min(high, maximum) &- max(low, minimum))
        selectOffsets(from: start, span: span, into: scratch)
    }

    /// Offsets or dictionary codes start...start + span. Both are below the number of values of that width.
    func selectOffsets(from start: UInt64, span: UInt64, into scratch: SelectionMask) {
        switch width {
        case 0: fill(scratch, start == 0)
        case 8, 16, 32, 64:
            Kernels.best.select(values, count, width: width, from: start, span: span, into: scratch.words)
        default:
            withUnpacked { Kernels.best.select($0, count, width: 8, from: start, span: span, into: scratch.words) }
        }
    }

    /// Values of 1, 2 and 4 bits as bytes.
    func withUnpacked(_ body: (UnsafePointer<UInt8>) -> Void) {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: max(1, count)) { buffer in
            guard let bytes = buffer.baseAddress else { return }
            Kernels.best.unpack(values, count, width: width, into: bytes)
            body(bytes)
        }
    }

    /// Whether all (true) or none (false) of the values lie in the range; nil when the header does not decide.
    private func floatingZone(_ low: Double, _ high: Double) -> Bool? {
        let minimum = Double(bitPattern: minimumBits)
        let maximum = Double(bitPattern: maximumBits)
        if !(low <= high) || high < minimum || low > maximum { return false }
        return low <= minimum && high >= maximum && !hasNaN ? true : nil
    }

    /// Selects all slots or none.
    func fill(_ scratch: SelectionMask, _ selected: Bool) {
        scratch.reset(slotCount: count)
        guard selected else { return }
        for index in 0..<scratch.wordCount { scratch.words[index] = maskWordLimit(index, count) }
    }

    /// Removes nulls from the found slots, and narrows the mask to them or to their complement.
    func finish(_ mask: SelectionMask, _ found: SelectionMask, _ inverted: Bool) {
        if nulls != nil {
            for index in 0..<found.wordCount { found.words[index] &= ~nullWord(index) }
        }
        if inverted {
            mask.subtract(found)
        } else {
            mask.formIntersection(found)
        }
    }

    func checkSlots(_ mask: SelectionMask) {
        precondition(mask.slotCount == count, "a mask of another cluster")
    }
}
