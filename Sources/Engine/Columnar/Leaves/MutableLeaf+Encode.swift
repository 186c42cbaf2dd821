import Glibc
import ObjectModel

extension MutableLeaf {
    /// The leaf in its smallest encoding. Cost: a few nanoseconds per value.
    package func encode() -> [UInt8] {
        switch kind {
        case .bool, .int, .link, .date: encodePacked()
        case .float, .double, .objectId, .uuid, .decimal128: encodeRaw()
        case .string, .data, .mixed, .list, .set, .map: encodeStrings()
        }
    }

    // MARK: Integers

    private func encodePacked() -> [UInt8] {
        let (minimum, maximum) = integerRange()
        var header = LeafHeader(kind: kind, encoding: .packed, count: count, nullCount: nullCount)
        header.minimumBits = UInt64(bitPattern: minimum)
        header.maximumBits = UInt64(bitPattern: maximum)
        let span = minimum <= maximum ? UInt64(bitPattern: maximum &- minimum) : 0
        header.width = Self.packedWidth(span)
        if nanoseconds.contains(where: { $0 != 0 }) { header.side = 32 }
        var offsets = integers
        if nullCount > 0 {
            for slot in 0..<count where isNull(slot) { offsets[slot] = minimum }
        }
        return build(header) { out in
            offsets.withUnsafeBufferPointer {
                Self.pack($0, minus: minimum, width: header.width, into: out + header.valuesOffset)
            }
            if header.side == 32 {
                nanoseconds.withUnsafeBytes { copy($0, to: out + header.sideOffset) }
            }
        }
    }

    private func integerRange() -> (Int64, Int64) {
        var minimum = Int64.max
        var maximum = Int64.min
        if nullCount == 0 {
            for value in integers {
                minimum = min(minimum, value)
                maximum = max(maximum, value)
            }
        } else {
            for slot in 0..<count where !isNull(slot) {
                minimum = min(minimum, integers[slot])
                maximum = max(maximum, integers[slot])
            }
        }
        return (minimum, maximum)
    }

    private static func packedWidth(_ span: UInt64) -> Int {
        let bits = 64 - span.leadingZeroBitCount
        return [0, 1, 2, 4, 8, 16, 32].first { bits <= $0 } ?? 64
    }

    private static func pack(
        _ values: UnsafeBufferPointer<Int64>, minus base: Int64, width: Int, into out: UnsafeMutableRawPointer
    ) {
        switch width {
        case 0: break
        case 8:
            for (slot, value) in values.enumerated() {
                out.storeBytes(of: UInt8(truncatingIfNeeded: value &- base), toByteOffset: slot, as: UInt8.self)
            }
        case 16:
            for (slot, value) in values.enumerated() {
                out.storeBytes(of: UInt16(truncatingIfNeeded: value &- base), toByteOffset: slot * 2, as: UInt16.self)
            }
        case 32:
            for (slot, value) in values.enumerated() {
                out.storeBytes(of: UInt32(truncatingIfNeeded: value &- base), toByteOffset: slot * 4, as: UInt32.self)
            }
        case 64:
            for (slot, value) in values.enumerated() {
                out.storeBytes(of: value &- base, toByteOffset: slot * 8, as: Int64.self)
            }
        default:
            let perByte = 8 / width
            var slot = 0
            var byteOffset = 0
            while slot < values.count {
                var byte: UInt8 = 0
                for index in 0..<min(perByte, values.count - slot) {
                    byte |= UInt8(truncatingIfNeeded: values[slot + index] &- base) << UInt8(index * width)
                }
                out.storeBytes(of: byte, toByteOffset: byteOffset, as: UInt8.self)
                slot += perByte
                byteOffset += 1
            }
        }
    }

    // MARK: Raw values

    private func encodeRaw() -> [UInt8] {
        var header = LeafHeader(kind: kind, encoding: .raw, count: count, nullCount: nullCount)
        header.width = LeafHeader.rawWidth(kind)
        switch kind {
        case .float: describe(floats, in: &header)
        case .double: describe(doubles, in: &header)
        default: break
        }
        return build(header) { out in
            let out = out + header.valuesOffset
            switch kind {
            case .float: floats.withUnsafeBytes { copy($0, to: out) }
            case .double: doubles.withUnsafeBytes { copy($0, to: out) }
            case .objectId:
                for (slot, id) in objectIds.enumerated() {
                    out.storeBytes(of: id.high.bigEndian, toByteOffset: slot * 12, as: UInt32.self)
                    out.storeBytes(of: id.low.bigEndian, toByteOffset: slot * 12 + 4, as: UInt64.self)
                }
            case .decimal128:
                for (slot, decimal) in decimals.enumerated() {
                    out.storeBytes(of: decimal.low, toByteOffset: slot * 16, as: UInt64.self)
                    out.storeBytes(of: decimal.high, toByteOffset: slot * 16 + 8, as: UInt64.self)
                }
            default:
                for (slot, id) in uuids.enumerated() {
                    out.storeBytes(of: id.high.bigEndian, toByteOffset: slot * 16, as: UInt64.self)
                    out.storeBytes(of: id.low.bigEndian, toByteOffset: slot * 16 + 8, as: UInt64.self)
                }
            }
        }
    }

    private func describe(_ values: [Float], in header: inout LeafHeader) {
        var minimum = Float.infinity
        var maximum = -Float.infinity
        for (slot, value) in values.enumerated() {
            if nullCount > 0, isNull(slot) { continue }
            // Comparisons with NaN are false, so it changes neither bound.
            if value < minimum { minimum = value }
            if value > maximum { maximum = value }
            if value != value { header.hasNaN = true }
        }
        header.minimumBits = Double(minimum).bitPattern
        header.maximumBits = Double(maximum).bitPattern
    }

    private func describe(_ values: [Double], in header: inout LeafHeader) {
        var minimum = Double.infinity
        var maximum = -Double.infinity
        for (slot, value) in values.enumerated() {
            if nullCount > 0, isNull(slot) { continue }
            if value < minimum { minimum = value }
            if value > maximum { maximum = value }
            if value != value { header.hasNaN = true }
        }
        header.minimumBits = minimum.bitPattern
        header.maximumBits = maximum.bitPattern
    }

    // MARK: Strings

    private func encodeStrings() -> [UInt8] {
        let plain = textHeader()
        if overflow.isEmpty, let dictionary = StringDictionary(of: strings, nulls: nulls) {
            let header = dictionaryHeader(dictionary)
            if header.totalSize < plain.totalSize { return encode(dictionary, header) }
        }
        return build(plain) { out in
            var end = 0
            func store(_ index: Int) {
                let address = out + plain.valuesOffset + index * plain.width / 8
                Self.storeOffset(end, width: plain.width, at: address)
            }
            store(0)
            overflow.withUnsafeBytes { copy($0, to: out + plain.sideOffset) }
            if strings.isInOrder {
                strings.bytes.withUnsafeBytes { copy($0, to: out + plain.areaOffset) }
                for (slot, range) in strings.ranges.enumerated() {
                    end += Int(range.count)
                    store(slot + 1)
                }
                return
            }
            strings.bytes.withUnsafeBytes { bytes in
                for (slot, range) in strings.ranges.enumerated() {
                    copy(
                        UnsafeRawBufferPointer(rebasing: bytes[Int(range.start)..<Int(range.start) + Int(range.count)]),
                        to: out + plain.areaOffset + end)
                    end += Int(range.count)
                    store(slot + 1)
                }
            }
        }
    }

    private func encode(_ dictionary: StringDictionary, _ header: LeafHeader) -> [UInt8] {
        build(header) { out in
            let codes = out + header.valuesOffset
            let codesPerByte = header.width == 0 ? 1 : 8 / header.width
            switch header.width {
            case 0: break
            case 8: dictionary.codes.withUnsafeBytes { copy($0, to: codes) }
            default:
                for byte in 0..<header.valuesSize {
                    var bits: UInt8 = 0
                    for index in 0..<min(codesPerByte, count - byte * codesPerByte) {
                        bits |= dictionary.codes[byte * codesPerByte + index] << UInt8(index * header.width)
                    }
                    codes.storeBytes(of: bits, toByteOffset: byte, as: UInt8.self)
                }
            }
            var end = 0
            Self.storeOffset(0, width: header.side, at: out + header.sideOffset)
            for (index, text) in dictionary.entries.enumerated() {
                strings.withText(text) { utf8 in
                    copy(UnsafeRawBufferPointer(utf8), to: out + header.areaOffset + end)
                    end += utf8.count
                }
                Self.storeOffset(end, width: header.side, at: out + header.sideOffset + (index + 1) * header.side / 8)
            }
        }
    }

    private func textHeader() -> LeafHeader {
        var header = LeafHeader(kind: kind, encoding: .text, count: count, nullCount: nullCount)
        header.entryCount = overflowCount
        header.areaSize = strings.textSize
        header.width = header.areaSize <= Int(UInt16.max) ? 16 : 32
        return header
    }

    private func dictionaryHeader(_ dictionary: StringDictionary) -> LeafHeader {
        var header = LeafHeader(kind: kind, encoding: .dictionary, count: count, nullCount: nullCount)
        header.areaSize = dictionary.textSize
        header.entryCount = dictionary.entries.count
        header.width = Self.packedWidth(UInt64(max(0, dictionary.entries.count - 1)))
        header.side = header.areaSize <= Int(UInt16.max) ? 16 : 32
        return header
    }

    private static func storeOffset(_ offset: Int, width: Int, at address: UnsafeMutableRawPointer) {
        if width == 16 {
            address.storeBytes(of: UInt16(truncatingIfNeeded: offset), as: UInt16.self)
        } else {
            address.storeBytes(of: UInt32(truncatingIfNeeded: offset), as: UInt32.self)
        }
    }

    // MARK: Common parts

    /// Makes the bytes of a leaf: header and null words, followed by the bytes that `body` writes.
    private func build(_ header: LeafHeader, _ body: (UnsafeMutableRawPointer) -> Void) -> [UInt8] {
        let size = header.totalSize
        return [UInt8](unsafeUninitializedCapacity: size) { buffer, initialized in
            let raw = UnsafeMutableRawBufferPointer(buffer)
            guard let out = raw.baseAddress else { return }
            header.write(to: raw)
            if nullCount > 0 {
                nulls.withUnsafeBytes { copy($0, to: out + LeafHeader.size) }
            }
            body(out)
            initialized = size
        }
    }

    private func copy(_ bytes: UnsafeRawBufferPointer, to address: UnsafeMutableRawPointer) {
        if let start = bytes.baseAddress, bytes.count > 0 { memcpy(address, start, bytes.count) }
    }
}
