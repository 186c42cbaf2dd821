import CKernels
package import ObjectModel

/// The values of one property of one cluster, read in place from memory that another object keeps alive. Outsized
/// values, which are stored elsewhere, must be provided with `resolving` before their bytes are read; otherwise they
/// are empty.
///
/// The header is checked once, in constant time, so that no read can leave the bytes whatever they contain: damaged
/// bytes give wrong values or empty text, never a fault. Making a leaf costs a few nanoseconds. Reading a slot that the
/// leaf does not have, or a value of another kind, is a programmer error and traps.
//
// Sendable: the bytes are only ever read, and whoever hands out the leaf keeps them unchanged while it is used.
package struct Leaf: @unchecked Sendable {
    package let kind: LeafKind
    /// The number of slots.
    package let count: Int
    package let nullCount: Int
    let encoding: LeafHeader.Encoding
    let width: Int
    let side: Int
    let entryCount: Int
    let areaSize: Int
    let hasNaN: Bool
    let minimumBits: UInt64
    let maximumBits: UInt64
    /// The null words; present only when there are nulls. Possibly unaligned, like everything here.
    let nulls: UnsafeRawPointer?
    let values: UnsafeRawPointer
    let sideValues: UnsafeRawPointer
    let area: UnsafeRawPointer
    /// The addresses of the overflow slots' bytes, in their order; nil until `resolving` provides them.
    var overflow: UnsafePointer<UnsafeRawBufferPointer>?

    /// Checks that the bytes are a leaf of that kind and that all its parts lie within them. Bytes after it are
    /// ignored.
    package init(validating bytes: UnsafeRawBufferPointer, kind: LeafKind) throws(LeafError) {
        let header = try LeafHeader(validating: bytes)
        guard header.kind == kind else { throw .kindMismatch }
        guard let start = bytes.baseAddress else { throw .truncated }
        self.kind = kind
        count = header.count
        nullCount = header.nullCount
        encoding = header.encoding
        width = header.width
        side = header.side
        entryCount = header.entryCount
        areaSize = header.areaSize
        hasNaN = header.hasNaN
        minimumBits = header.minimumBits
        maximumBits = header.maximumBits
        nulls = header.nullCount > 0 ? start + LeafHeader.size : nil
        values = start + header.valuesOffset
        sideValues = start + header.sideOffset
        area = start + header.areaOffset
    }

    /// A leaf without slots. The address is never read from.
    package init(emptyAt address: UnsafeRawPointer) {
        kind = .int
        (count, nullCount, width, side, entryCount, areaSize) = (0, 0, 0, 0, 0, 0)
        encoding = .raw
        hasNaN = false
        (minimumBits, maximumBits) = (0, 0)
        nulls = nil
        (values, sideValues, area) = (address, address, address)
    }

    @inline(__always)
    package func isNull(_ slot: Int) -> Bool {
        checkSlot(slot)
        guard let nulls else { return false }
        let word = nulls.loadUnaligned(fromByteOffset: slot >> 6 * 8, as: UInt64.self)
        return word >> UInt64(slot & 63) & 1 != 0
    }

    /// Null bits of 64 slots, with zeros beyond the last slot.
    @inline(__always)
    package func nullWord(_ index: Int) -> UInt64 {
        guard let nulls else { return 0 }
        precondition(index >= 0 && index < maskWordCount(count), "no such mask word")
        return nulls.loadUnaligned(fromByteOffset: index * 8, as: UInt64.self) & maskWordLimit(index, count)
    }

    /// Whether a slot without an object still holds a value.
    package func holdsValues(deadIn mask: MutableLiveMask) -> Bool {
        let slots = min(count, mask.slotCount)
        return (0..<maskWordCount(slots)).contains {
            ~mask.word($0) & ~nullWord($0) & maskWordLimit($0, slots) != 0
        }
    }

    /// The value of a slot, as an independent `Value`. The typed accessors are cheaper.
    package func value(at slot: Int) -> Value {
        if isNull(slot) { return .null }
        switch kind {
        case .bool: return .bool(bool(at: slot))
        case .int: return .int(int(at: slot))
        case .float: return .float(float(at: slot))
        case .double: return .double(double(at: slot))
        case .string: return .string(String(decoding: utf8(at: slot), as: UTF8.self))
        case .date: return .date(date(at: slot))
        case .objectId: return .objectId(objectId(at: slot))
        case .uuid: return .uuid(uuid(at: slot))
        case .link: return .link(link(at: slot))
        case .data: return .data(Array(utf8(at: slot)))
        case .decimal128: return .decimal(decimal(at: slot))
        case .mixed:
            // Damaged bytes read as null, as a damaged text reads as empty.
            return (try? ValueRecord.decode(UnsafeRawBufferPointer(utf8(at: slot)))) ?? .null
        case .list, .set, .map:
            return kind.collection.value(elements(at: slot))
        }
    }

    /// The elements of a collection that does not overflow, in order.
    package func elements(at slot: Int) -> ElementBlock {
        let hasKeys = kind == .map
        let bytes = UnsafeRawBufferPointer(utf8(at: slot))
        return (try? ElementBlock(decoding: bytes, hasKeys: hasKeys)) ?? ElementBlock(hasKeys: hasKeys)
    }

    /// The smallest integer (of dates: second) among the values that are not null; above `maximumInteger` when all are
    /// null.
    package var minimumInteger: Int64 { Int64(bitPattern: minimumBits) }
    package var maximumInteger: Int64 { Int64(bitPattern: maximumBits) }

    /// This leaf, if it has the slot. Throws `noSuchSlot`; for slot numbers that are read from elsewhere in the file.
    package func checked(_ slot: Int) throws(LeafError) -> Leaf {
        guard slot >= 0, slot < count else { throw .noSuchSlot }
        return self
    }

    @inline(__always)
    func checkSlot(_ slot: Int) {
        precondition(UInt(bitPattern: slot) < UInt(bitPattern: count), "no such slot")
    }
}

extension UnsafePointer<Leaf> {
    /// The value of a slot of a column's leaf, if it is a single one that is not mixed and is stored in the leaf. For
    /// leaves in a table: it copies none of them.
    package func plainValue(_ column: Int, at slot: Int) -> Value? {
        if self[column].count == 0 { return nil }
        switch self[column].kind {
        case .int: return self[column].isNull(slot) ? .null : .int(self[column].int(at: slot))
        case .double: return self[column].isNull(slot) ? .null : .double(self[column].double(at: slot))
        case .link: return self[column].isNull(slot) ? .null : .link(self[column].link(at: slot))
        case .string:
            if self[column].isNull(slot) { return .null }
            if self[column].hasOverflow, self[column].isOverflow(slot) { return nil }
            return .string(String(decoding: self[column].utf8(at: slot), as: UTF8.self))
        case .mixed, .list, .set, .map: return nil
        default: return self[column].isOverflow(slot) ? nil : self[column].value(at: slot)
        }
    }

    /// The number of a slot, if `plainValue` is an integer. Without a `Value` it takes half the time.
    package func plainInteger(_ column: Int, at slot: Int) -> Int64? {
        guard self[column].count > 0, self[column].kind == .int, !self[column].isNull(slot) else { return nil }
        return self[column].int(at: slot)
    }

    /// The number of a slot, if `plainValue` is a double.
    package func plainDouble(_ column: Int, at slot: Int) -> Double? {
        guard self[column].count > 0, self[column].kind == .double, !self[column].isNull(slot) else { return nil }
        return self[column].double(at: slot)
    }

    /// The text of a slot, if `plainValue` is a string.
    package func plainText(_ column: Int, at slot: Int) -> String? {
        guard self[column].count > 0, self[column].kind == .string, !self[column].isNull(slot),
            !self[column].isOverflow(slot)
        else { return nil }
        return String(decoding: self[column].utf8(at: slot), as: UTF8.self)
    }
}

/// Narrowing a selection by whole values, for kinds without a kernel.
extension Leaf {
    /// Keeps the slots whose value passes the test, and those of nulls if `keepsNull`. A dictionary leaf tests each
    /// distinct value once. Not for collections.
    package func narrow(
        _ mask: SelectionMask, values test: (ValueView) -> Bool, keepsNull: Bool, scratch: SelectionMask
    ) {
        checkSlots(mask)
        guard encoding == .dictionary else {
            return mask.filter { isNull($0) ? keepsNull : test(ValueView(self, $0)) }
        }
        selectEntries(into: scratch) { test(view(of: $0)) }
        setNulls(scratch, selected: keepsNull)
        mask.formIntersection(scratch)
    }

    /// The value of a run of bytes in a leaf of this kind, which is one of bytes.
    private func view(of bytes: UnsafeBufferPointer<UInt8>) -> ValueView {
        switch kind {
        case .string: .string(bytes)
        case .data: .data(bytes)
        case .mixed: ValueView(record: UnsafeRawBufferPointer(bytes))
        default: .null
        }
    }
}

/// The fraction of a leaf's slots that a closed range keeps, estimated from the header alone: exactly 0 or 1 when that
/// is certain, otherwise as if the values were spread evenly.
extension Leaf {
    /// For bool (as 0 and 1), int and link leaves.
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

    /// For float and double leaves.
    package func share(floating low: Double, through high: Double) -> Double {
        let minimum = Double(bitPattern: minimumBits)
        let maximum = Double(bitPattern: maximumBits)
        return share(low, high, minimum, maximum) {
            if !(low <= high) || high < minimum || low > maximum { return false }
            return low <= minimum && high >= maximum && !hasNaN ? true : nil
        }
    }

    /// For decimal128 leaves, whose headers have no bounds of the values.
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

/// Narrowing a selection by the texts of a string leaf. A dictionary leaf tests each distinct text once.
extension Leaf {
    /// Keeps the slots whose text the pattern matches, or, inverted, all others. Null matches nothing.
    package func narrow(_ mask: SelectionMask, texts pattern: TextPattern, inverted: Bool, scratch: SelectionMask) {
        precondition(kind == .string, "not a string leaf")
        checkSlots(mask)
        if pattern.test == .equal, pattern.isExact, selectEntry(pattern.needle, into: scratch) {
            finish(mask, scratch, inverted)
        } else if let anchor = Self.anchor(pattern.test), markTexts(pattern, pattern.needle[...], anchor, in: scratch) {
            finish(mask, scratch, inverted)
        } else {
            // One search of the whole area leaves few texts to compare.
            if !inverted, markTexts(pattern, pattern.requiredPart, .anywhere, in: scratch) {
                finish(mask, scratch, false)
            }
            narrow(mask, inverted: inverted, scratch: scratch) { pattern.matches($0) }
        }
    }

    private static func anchor(_ test: TextPattern.Test) -> TextKernel.Anchor? {
        switch test {
        case .equal: .whole
        case .prefix: .start
        case .suffix: .end
        case .contains: .anywhere
        case .like, .less, .lessOrEqual, .greater, .greaterOrEqual: nil
        }
    }

    /// Searches all texts for a part of the pattern at once; returns false when each text must be tested by itself.
    private func markTexts(
        _ pattern: TextPattern, _ part: ArraySlice<UInt8>, _ anchor: TextKernel.Anchor, in scratch: SelectionMask
    ) -> Bool {
        guard encoding == .text, entryCount == 0, !part.isEmpty else { return false }
        let bytes = UnsafeBufferPointer(start: area.assumingMemoryBound(to: UInt8.self), count: areaSize)
        if pattern.foldsBeyondASCII, rk_is_ascii(bytes.baseAddress, areaSize) == 0 { return false }
        scratch.reset(slotCount: count)
        part.withUnsafeBufferPointer { needle in
            TextKernel.best.mark(
                bytes, offsets: values, width: width, count: count, needle, anchor,
                foldsASCIICase: pattern.foldsASCIICase, into: scratch.words)
        }
        return true
    }

    /// Keeps the slots whose text is in the set, as `IN` needs it, or, inverted, all others.
    package func narrow(_ mask: SelectionMask, texts: Set<[UInt8]>, inverted: Bool, scratch: SelectionMask) {
        precondition(kind == .string, "not a string leaf")
        narrow(mask, inverted: inverted, scratch: scratch) { texts.contains(Array($0)) }
    }

    private func narrow(
        _ mask: SelectionMask, inverted: Bool, scratch: SelectionMask, _ test: (UnsafeBufferPointer<UInt8>) -> Bool
    ) {
        checkSlots(mask)
        guard encoding == .dictionary else {
            mask.filter { slot in (!isNull(slot) && test(utf8(at: slot))) != inverted }
            return
        }
        selectEntries(into: scratch, where: test)
        finish(mask, scratch, inverted)
    }
}

/// A range of decimals, prepared for columns: the range of digits for each of the usual exponents. Making one costs a
/// few microseconds.
package struct DecimalTable: Sendable {
    fileprivate let range: DecimalRange
    /// Lower and upper bound by exponent.
    fileprivate let ends: [Int128]

    private static let lowestExponent = -24
    /// The lowest exponent as it is encoded.
    fileprivate static let firstExponent = UInt32(lowestExponent + 6176)

    package init(_ range: DecimalRange) {
        self.range = range
        var ends: [Int128] = []
        ends.reserveCapacity(2 * Int(RK_DECIMAL_EXPONENTS))
        for index in 0..<Int(RK_DECIMAL_EXPONENTS) {
            let (low, high) = range.coefficients(exponent: Self.lowestExponent + index)
            ends.append(low)
            ends.append(high)
        }
        self.ends = ends
    }
}

extension Leaf {
    /// Keeps the slots whose decimal lies in the range, or, inverted, all others. A null lies in no range, and neither
    /// does a NaN. `scratch` is overwritten.
    package func narrow(_ mask: SelectionMask, decimals table: DecimalTable, inverted: Bool, scratch: SelectionMask) {
        precondition(kind == .decimal128, "not a decimal leaf")
        checkSlots(mask)
        scratch.reset(slotCount: count)
        if count > 0, !table.range.isEmpty {
            table.ends.withUnsafeBytes { ends in
                guard let ends = ends.baseAddress else { return }
                withUnsafeTemporaryAllocation(of: UInt64.self, capacity: maskWordCount(count)) { odd in
                    guard let odd = odd.baseAddress else { return }
                    let anyOdd = rk_select_decimals(
                        values, count, DecimalTable.firstExponent, ends, scratch.words, odd)
                    if anyOdd != 0 { selectOdd(odd, table.range, in: scratch) }
                }
            }
        }
        finish(mask, scratch, inverted)
    }

    /// Decides the slots that the kernel could not.
    private func selectOdd(_ odd: UnsafePointer<UInt64>, _ range: DecimalRange, in scratch: SelectionMask) {
        for index in 0..<scratch.wordCount {
            var word = odd[index]
            while word != 0 {
                let slot = index << 6 + word.trailingZeroBitCount
                if range.contains(decimal(at: slot)) { scratch.insert(slot) }
                word &= word - 1
            }
        }
    }
}
