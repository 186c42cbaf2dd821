import CKernels
package import ObjectModel

/// Sums and bounds of the selected values; nulls and NaN are skipped.
extension Leaf {
    /// The exact sum of an int leaf, and the number of values in it.
    package func integerSum(_ mask: SelectionMask, scratch: SelectionMask) -> (sum: Int128, count: Int) {
        precondition(kind == .int, "not an int leaf")
        let found = present(mask, scratch)
        let population = found.population
        guard population > 0 else { return (0, 0) }
        let run = Kernels.best.run
        var offsets: UInt64 = 0
        let base = Int128(minimumInteger) * Int128(population)
        switch width {
        case 0: break
        case 8: offsets = run.sum_u8(values, count, found.words)
        case 16: offsets = run.sum_u16(values, count, found.words)
        case 32: offsets = run.sum_u32(values, count, found.words)
        case 64:
            let sum = run.sum_u64(values, count, found.words)
            return (base + Int128(sum.high) << 32 + Int128(sum.low), population)
        default: withUnpacked { offsets = run.sum_u8($0, count, found.words) }
        }
        return (base + Int128(offsets), population)
    }

    /// The sum of a float or double leaf, and the number of values in it.
    package func floatingSum(_ mask: SelectionMask, scratch: SelectionMask) -> (sum: Double, count: Int) {
        precondition(kind == .float || kind == .double, "not a floating leaf")
        let found = present(mask, scratch)
        let run = Kernels.best.run
        let result =
            kind == .double ? run.sum_f64(values, count, found.words) : run.sum_f32(values, count, found.words)
        return (result.sum, Int(result.count))
    }

    /// The smallest and largest selected value; nil without any.
    package func bounds(_ mask: SelectionMask, scratch: SelectionMask) -> (minimum: Value, maximum: Value)? {
        let found = present(mask, scratch)
        switch kind {
        case .int, .bool, .link: return integerBounds(found)
        case .float, .double: return floatingBounds(found)
        case .date: return dateBounds(found)
        case .string, .objectId, .uuid: return nil
        }
    }

    private func integerBounds(_ found: SelectionMask) -> (minimum: Value, maximum: Value)? {
        let run = Kernels.best.run
        var low: UInt64 = .max
        var high: UInt64 = 0
        var population: UInt64 = 0
        switch width {
        case 8: (low, high, population) = unpacked(run.bounds_u8(values, count, found.words))
        case 16: (low, high, population) = unpacked(run.bounds_u16(values, count, found.words))
        case 32: (low, high, population) = unpacked(run.bounds_u32(values, count, found.words))
        case 64: (low, high, population) = unpacked(run.bounds_u64(values, count, found.words))
        case 0: (low, high, population) = (0, 0, UInt64(found.population))
        default: withUnpacked { (low, high, population) = unpacked(run.bounds_u8($0, count, found.words)) }
        }
        guard population > 0 else { return nil }
        return (integer(low), integer(high))
    }

    private func integer(_ offset: UInt64) -> Value {
        let value = minimumInteger &+ Int64(bitPattern: offset)
        switch kind {
        case .bool: return .bool(value != 0)
        case .link: return .link(ObjectKey(value))
        default: return .int(value)
        }
    }

    private func floatingBounds(_ found: SelectionMask) -> (minimum: Value, maximum: Value)? {
        let run = Kernels.best.run
        let bounds =
            kind == .double ? run.bounds_f64(values, count, found.words) : run.bounds_f32(values, count, found.words)
        guard bounds.count > 0 else { return nil }
        if kind == .double { return (.double(bounds.minimum), .double(bounds.maximum)) }
        return (.float(Float(bounds.minimum)), .float(Float(bounds.maximum)))
    }

    private func dateBounds(_ found: SelectionMask) -> (minimum: Value, maximum: Value)? {
        var bounds: (minimum: Timestamp, maximum: Timestamp)?
        found.forEach { slot in
            let date = date(at: slot)
            bounds = (min(bounds?.minimum ?? date, date), max(bounds?.maximum ?? date, date))
        }
        return bounds.map { (.date($0.minimum), .date($0.maximum)) }
    }

    /// The selected slots that are not null.
    private func present(_ mask: SelectionMask, _ scratch: SelectionMask) -> SelectionMask {
        checkSlots(mask)
        guard nulls != nil else { return mask }
        scratch.reset(to: mask)
        narrow(scratch, toNulls: false)
        return scratch
    }
}
