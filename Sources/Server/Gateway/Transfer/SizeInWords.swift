/// A size for people, exactly: `256 MiB`, `4 KiB` or `1500 bytes`, as settings take it.
func sizeInWords(_ bytes: Int) -> String {
    for (unit, shift) in [("MiB", 20), ("KiB", 10)] where bytes >= 1 << shift && bytes % (1 << shift) == 0 {
        return "\(bytes >> shift) \(unit)"
    }
    return "\(bytes) bytes"
}
