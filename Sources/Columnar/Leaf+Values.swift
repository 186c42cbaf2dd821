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

    /// The value that a run of bytes stands for in a leaf of this kind, which is one of bytes.
    private func view(of bytes: UnsafeBufferPointer<UInt8>) -> ValueView {
        switch kind {
        case .string: .string(bytes)
        case .data: .data(bytes)
        case .mixed: ValueView(record: UnsafeRawBufferPointer(bytes))
        default: .null
        }
    }
}
