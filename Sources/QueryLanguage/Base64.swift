/// Standard base64 with padding; nil for anything else.
func decodeBase64(_ text: String) -> [UInt8]? {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    let body = text.utf8.filter { $0 != 0x3D }
    guard text.utf8.count % 4 == 0, text.utf8.count - body.count <= 2, text.utf8.starts(with: body) else { return nil }
    var result: [UInt8] = []
    var bits: UInt32 = 0
    var count = 0
    for character in body {
        guard let value = alphabet.firstIndex(of: character) else { return nil }
        bits = bits << 6 | UInt32(value)
        count += 6
        if count >= 8 {
            count -= 8
            result.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
        }
    }
    return result
}
