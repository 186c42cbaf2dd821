/// Splits and decodes a request target into path segments and query items.
///
/// Splitting comes before decoding, so an encoded slash, ampersand or equals sign is data. An encoded NUL is data in a
/// path. A `%FF` before a segment, which no UTF-8 text begins with, is omitted: clients and proxies remove the segments
/// `.` and `..` from a path, however they are encoded, and some remove empty ones, but none removes `%FF..`. Accepts
/// the origin form (`/path?query`), the absolute form and `*` (no segments).
package func parseTarget(_ target: String) throws(HTTPError) -> (segments: [String], query: [QueryItem]) {
    var target = target
    // One pass over contiguous bytes; native strings provide their storage without a copy.
    let parsed: (segments: [String], query: [QueryItem])? = target.withUTF8 { bytes in
        guard bytes.allSatisfy(isTargetByte) else { return nil }
        var rest = Slice(base: bytes, bounds: 0..<bytes.count)
        if bytes.first != UInt8(ascii: "/") {
            guard let origin = originForm(rest) else { return nil }
            rest = origin
        }
        let pathEnd = rest.firstIndex(of: UInt8(ascii: "?")) ?? rest.endIndex
        guard let segments = decodeSegments(rest[rest.startIndex..<pathEnd]) else { return nil }
        guard pathEnd < rest.endIndex else { return (segments, []) }
        guard let query = decodeQuery(rest[(pathEnd + 1)...]) else { return nil }
        return (segments, query)
    }
    guard let parsed else { throw .malformedTarget }
    return parsed
}

/// Parses a form, which has the syntax of a query.
package func parseForm(_ form: [UInt8]) throws(HTTPError) -> [QueryItem] {
    let items: [QueryItem]? = form.withUnsafeBufferPointer { bytes in
        guard bytes.allSatisfy({ isTargetByte($0) || isFormBlank($0) }) else { return nil }
        return decodeQuery(Slice(base: bytes, bounds: 0..<bytes.count))
    }
    guard let items else { throw .malformedTarget }
    return items
}

extension HTTPError {
    fileprivate static let malformedTarget = HTTPError(
        .malformedTarget,
        detail:
            "The path or query is not properly percent-encoded UTF-8: encode spaces as %20, a percent sign as %25 and "
            + "other characters byte by byte.")
}

/// Whether a byte is neither a control character nor a space.
@inline(__always)
private func isTargetByte(_ byte: UInt8) -> Bool { byte > 0x20 && byte != 0x7f }

/// Whether a byte is a blank or a line break, which only a form may contain.
@inline(__always)
private func isFormBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0a || byte == 0x0d }

private typealias Bytes = Slice<UnsafeBufferPointer<UInt8>>

/// Returns the path and query of an absolute-form target; the empty path for `*`; `nil` for anything else.
private func originForm(_ target: Bytes) -> Bytes? {
    if target.elementsEqual("*".utf8) { return target[target.endIndex...] }
    guard let colon = target.firstIndex(of: UInt8(ascii: ":")), target[colon...].starts(with: "://".utf8) else {
        return nil
    }
    let authority = target[(colon + 3)...]
    let end = authority.firstIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") } ?? authority.endIndex
    guard end > authority.startIndex else { return nil }
    return authority[end...]
}

private func decodeSegments(_ path: Bytes) -> [String]? {
    guard path.count > 1 else { return [] }
    var segments: [String] = []
    segments.reserveCapacity(4)
    var start = path.startIndex + 1
    while true {
        let end = path[start...].firstIndex(of: UInt8(ascii: "/")) ?? path.endIndex
        var encoded = path[start..<end]
        if isShield(encoded.prefix(3)) { encoded = encoded.dropFirst(3) }
        guard let segment = decodePercent(encoded, isPath: true) else { return nil }
        segments.append(segment)
        guard end < path.endIndex else { return segments }
        start = end + 1
    }
}

/// Removes the blanks at both ends that are not encoded, which belong to the layout of a form that a person wrote.
private func trimmed(_ text: Bytes) -> Bytes {
    guard let first = text.firstIndex(where: { !isFormBlank($0) }),
        let last = text.lastIndex(where: { !isFormBlank($0) })
    else { return text[text.endIndex...] }
    return text[first...last]
}

private func decodeQuery(_ query: Bytes) -> [QueryItem]? {
    var items: [QueryItem] = []
    var start = query.startIndex
    while start < query.endIndex {
        let end = query[start...].firstIndex(of: UInt8(ascii: "&")) ?? query.endIndex
        let item = trimmed(query[start..<end])
        start = end + 1
        guard !item.isEmpty else { continue }
        let nameEnd = item.firstIndex(of: UInt8(ascii: "=")) ?? item.endIndex
        guard let name = decodePercent(trimmed(item[item.startIndex..<nameEnd]), isPath: false),
            let value = decodePercent(trimmed(item[min(nameEnd + 1, item.endIndex)...]), isPath: false)
        else { return nil }
        items.append(QueryItem(name: name, value: value))
    }
    return items
}

/// Whether the text is `%FF`.
private func isShield(_ text: Bytes) -> Bool {
    text.count == 3 && text[text.startIndex] == UInt8(ascii: "%")
        && text.dropFirst().allSatisfy { $0 | 0x20 == UInt8(ascii: "f") }
}

/// Decodes `%XX`, and outside of paths a plus as a space. Returns `nil` for a broken escape, an encoded NUL outside of
/// paths, or bytes that are not UTF-8.
private func decodePercent(_ text: Bytes, isPath: Bool) -> String? {
    let plusIsSpace = !isPath
    let plus = UInt8(ascii: "+")
    let percent = UInt8(ascii: "%")
    guard text.contains(where: { $0 == percent || (plusIsSpace && $0 == plus) }) else {
        return validText(UnsafeBufferPointer(rebasing: text))
    }
    var decoded: [UInt8] = []
    decoded.reserveCapacity(text.count)
    var index = text.startIndex
    while index < text.endIndex {
        let byte = text[index]
        index += 1
        if byte == plus, plusIsSpace {
            decoded.append(0x20)
        } else if byte == percent {
            guard index + 1 < text.endIndex, let high = hexDigit(text[index]), let low = hexDigit(text[index + 1]),
                isPath || high | low != 0
            else { return nil }
            decoded.append(high << 4 | low)
            index += 2
        } else {
            decoded.append(byte)
        }
    }
    return String(validating: decoded, as: UTF8.self)
}

/// Returns the text; nil for bytes that are not UTF-8.
///
/// Nearly all texts of requests are ASCII, for which the general check costs many times as much as the string.
package func validText(_ bytes: UnsafeBufferPointer<UInt8>) -> String? {
    let isASCII = !bytes.contains { $0 >= 0x80 }
    return isASCII ? String(decoding: bytes, as: UTF8.self) : String(validating: bytes, as: UTF8.self)
}

private func hexDigit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
}

/// One `name=value` of a query string, decoded.
package struct QueryItem: Sendable, Hashable {
    package var name: String
    package var value: String

    package init(name: String, value: String) {
        self.name = name
        self.value = value
    }
}
