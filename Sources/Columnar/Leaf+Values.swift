package import ObjectModel

/// Narrowing a selection by whole values, for kinds without a kernel.
extension Leaf {
    /// Keeps the slots whose value passes the test, and those of nulls if `keepsNull`. A dictionary leaf tests each
    /// distinct value once. Not for collections that lie outside.
    package func narrow(
        _ mask: SelectionMask, values test: (Value) -> Bool, keepsNull: Bool, scratch: SelectionMask
    ) {
        checkSlots(mask)
        guard encoding == .dictionary else {
            return mask.filter { isNull($0) ? keepsNull : test(value(at: $0)) }
        }
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 256) { table in
            table.initialize(repeating: 0)
            for code in 0..<entryCount where test(value(of: entry(code))) { table[code] = 1 }
            selectCodes(UnsafeBufferPointer(table), into: scratch)
        }
        if nulls != nil {
            for index in 0..<scratch.wordCount {
                let word = nullWord(index)
                if keepsNull { scratch.words[index] |= word } else { scratch.words[index] &= ~word }
            }
        }
        mask.formIntersection(scratch)
    }

    /// The value that a run of bytes stands for in a leaf of this kind, which is one of bytes.
    func value(of bytes: UnsafeBufferPointer<UInt8>) -> Value {
        switch kind {
        case .string: return .string(String(decoding: bytes, as: UTF8.self))
        case .data: return .data(Array(bytes))
        // Damaged bytes read as null, as a damaged text reads as empty.
        case .mixed: return (try? ValueRecord.decode(UnsafeRawBufferPointer(bytes))) ?? .null
        default:
            let block = try? ElementBlock(decoding: UnsafeRawBufferPointer(bytes), hasKeys: kind == .map)
            return kind.collection.value(block ?? ElementBlock(hasKeys: kind == .map))
        }
    }
}
