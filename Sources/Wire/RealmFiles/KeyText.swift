extension RealmFile {
    /// A key as text: two hexadecimal digits for each of its bytes. Nil for any other text.
    package static func key(hexadecimal digits: some Sequence<UInt8>) -> [UInt8]? {
        var key: [UInt8] = []
        var high: UInt8?
        for digit in digits {
            guard let value = Character(Unicode.Scalar(digit)).hexDigitValue.map({ UInt8($0) }) else { return nil }
            guard key.count < keyLength else { return nil }
            if let first = high {
                key.append(first << 4 | value)
                high = nil
            } else {
                high = value
            }
        }
        return high == nil && key.count == keyLength ? key : nil
    }
}
