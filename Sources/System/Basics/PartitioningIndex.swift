extension RandomAccessCollection {
    /// The first index whose element satisfies `isInSecondPart`, which must be false before it and true from it on;
    /// `endIndex` when none does. Cost: logarithmic.
    @inlinable
    package func partitioningIndex(where isInSecondPart: (Element) throws -> Bool) rethrows -> Index {
        var low = startIndex
        var length = count
        while length > 0 {
            let half = length / 2
            let middle = index(low, offsetBy: half)
            if try isInSecondPart(self[middle]) {
                length = half
            } else {
                low = index(after: middle)
                length -= half + 1
            }
        }
        return low
    }
}
