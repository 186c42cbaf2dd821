package import ObjectModel

/// Sums and bounds of the selected values; nulls and NaN are skipped.
extension Leaf {
    /// The exact sum of an int leaf, and the number of values in it.
    package func integerSum(_ mask: SelectionMask, scratch: SelectionMask) -> (sum: Int128, count: Int) {
        precondition(kind == .int, "not an int leaf")
        let found = present(mask, scratch)
        let population = found.population
        guard population > 0 else { return (0, 0) }
        var sum = Int128(minimumInteger) * Int128(population)
        switch width {
        case 0: break
        case 8, 16, 32, 64: sum += Kernels.best.sum(values, count, width: width, found.words)
        default: withUnpacked { sum += Kernels.best.sum($0, count, width: 8, found.words) }
        }
        return (sum, population)
    }

    /// The sum of a float or double leaf, and the number of values in it.
    package func floatingSum(_ mask: SelectionMask, scratch: SelectionMask) -> (sum: Double, count: Int) {
        precondition(kind == .float || kind == .double, "not a floating leaf")
        let found = present(mask, scratch)
        return Kernels.best.floatingSum(values, count, width: width, found.words)
    }

    /// The smallest and largest selected value; nil without any.
    package func bounds(_ mask: SelectionMask, scratch: SelectionMask) -> (minimum: Value, maximum: Value)? {
        let found = present(mask, scratch)
        switch kind {
        case .int, .bool, .link: return integerBounds(found)
        case .float, .double: return floatingBounds(found)
        case .date: return dateBounds(found)
        case .string, .objectId, .uuid, .data, .decimal128, .mixed, .list, .set, .map: return nil
        }
    }

    private func integerBounds(_ found: SelectionMask) -> (minimum: Value, maximum: Value)? {
        var bounds: (minimum: UInt64, maximum: UInt64, count: Int)
        switch width {
        case 0: bounds = (0, 0, found.population)
        case 8, 16, 32, 64: bounds = Kernels.best.bounds(values, count, width: width, found.words)
        default:
            bounds = (0, 0, 0)
            withUnpacked { bounds = Kernels.best.bounds($0, count, width: 8, found.words) }
        }
        guard bounds.count > 0 else { return nil }
        return (integer(bounds.minimum), integer(bounds.maximum))
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
        let bounds = Kernels.best.floatingBounds(values, count, width: width, found.words)
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
