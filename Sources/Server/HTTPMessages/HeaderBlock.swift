/// A request's header fields in one allocation, searched on demand.
///
/// Most requests read two or three of a dozen fields; strings are created only for those. Most fields that handlers ask
/// for are missing, which one bit shows.
package struct HeaderBlock: Sendable {
    /// For each field the lengths of name and value, in four bytes each, then both.
    private var bytes: [UInt8] = []
    /// A bit for each hash of a name that is present.
    private var kinds: UInt64 = 0

    package init() {}

    package init(_ fields: HeaderFields) {
        for field in fields {
            var (name, value) = (field.name, field.value)
            name.withUTF8 { name in value.withUTF8 { append(name: name, value: $0) } }
        }
    }

    /// - Parameters:
    ///   - byteCount: the total length of names and values.
    ///   - count: the number of fields.
    package mutating func reserve(_ byteCount: Int, count: Int) { bytes.reserveCapacity(byteCount + count * 8) }

    package mutating func append(name: UnsafeBufferPointer<UInt8>, value: UnsafeBufferPointer<UInt8>) {
        for length in [name.count, value.count] {
            withUnsafeBytes(of: UInt32(truncatingIfNeeded: length)) { bytes.append(contentsOf: $0) }
        }
        bytes.append(contentsOf: name)
        bytes.append(contentsOf: value)
        kinds |= headerKind(of: name)
    }

    /// Replaces all fields of that name by one at the end, or removes them if the value is nil.
    package mutating func set(_ name: String, _ value: String?) {
        var (name, others) = (name, HeaderBlock())
        others.reserve(bytes.count + name.utf8.count + (value?.utf8.count ?? 0), count: 1)
        name.withUTF8 { name in
            forEach { if !equalsIgnoringCase($0, name) { others.append(name: $0, value: $1) } }
            if var value { value.withUTF8 { others.append(name: name, value: $0) } }
        }
        self = others
    }

    package func value(of name: String) -> String? {
        var name = name
        return name.withUTF8 { name in
            guard kinds & headerKind(of: name) != 0 else { return nil }
            var result: String?
            forEach { field, value in
                guard equalsIgnoringCase(field, name) else { return }
                let text = String(decoding: value, as: UTF8.self)
                result = result.map { "\($0), \(text)" } ?? text
            }
            return result
        }
    }

    package var fields: HeaderFields {
        var fields = HeaderFields()
        forEach { name, value in
            fields.add(String(decoding: name, as: UTF8.self), String(decoding: value, as: UTF8.self))
        }
        return fields
    }

    private func forEach(_ body: (_ name: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>) -> Void) {
        bytes.withUnsafeBytes { bytes in
            var position = 0
            func part(_ length: Int) -> UnsafeBufferPointer<UInt8> {
                defer { position += length }
                return UnsafeRawBufferPointer(rebasing: bytes[position..<(position + length)]).bindMemory(
                    to: UInt8.self)
            }
            while position < bytes.count {
                let nameLength = bytes.loadUnaligned(fromByteOffset: position, as: UInt32.self)
                let valueLength = bytes.loadUnaligned(fromByteOffset: position + 4, as: UInt32.self)
                position += 8
                let name = part(Int(nameLength))
                body(name, part(Int(valueLength)))
            }
        }
    }
}
