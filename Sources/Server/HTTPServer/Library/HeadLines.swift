import HTTPMessages
import CMicrohttpd
import Glibc

/// A request's header, by the library's look-ups of its lines: for a library that refuses by itself what a line may not
/// be. What is left to see are fields that repeat, and what they say.
struct HeadLines {
    private let connection: OpaquePointer

    init(of connection: OpaquePointer) { self.connection = connection }

    /// - Parameters:
    ///   - method: from the request line.
    ///   - version: from the request line.
    func head(
        method: UnsafePointer<CChar>, version: UnsafePointer<CChar>, limits: RequestHead.Limits
    ) throws(HTTPError) -> RequestHead {
        guard rg_mhd_header_size(connection) <= limits.headerBytes else { throw .headerTooLarge }
        guard method[0] != 0, Self.bytes(method, strlen(method)).allSatisfy(isToken) else {
            throw .malformedRequestLine
        }
        var head = try RequestHead(version: Self.bytes(version, strlen(version)))
        var fault: HTTPError?
        forEachField(of: .HEADER_KIND) { name, value in
            do throws(HTTPError) { try head.add(name: name, value: value, limits: limits) } catch { fault = error }
            return fault == nil
        }
        if let fault { throw fault }
        try head.finish()
        return head
    }

    /// Whether the trailers of a chunked body are well formed. Their values are ignored.
    var areTrailersSound: Bool {
        var areSound = true
        forEachField(of: .FOOTER_KIND) { name, value in
            areSound = !name.isEmpty && name.allSatisfy(isToken) && value.allSatisfy(isFieldByte)
            return areSound
        }
        return areSound
    }

    private typealias Bytes = UnsafeBufferPointer<UInt8>

    /// Calls the body with the name and the value of each field, until it returns false.
    private func forEachField(of kind: MHD_ValueKind, _ body: (_ name: Bytes, _ value: Bytes) -> Bool) {
        withoutActuallyEscaping(body) { body in
            withUnsafePointer(to: body) { body in
                _ = MHD_get_connection_values_n(
                    connection, kind,
                    { body, _, name, nameSize, value, valueSize in
                        guard let body = body?.assumingMemoryBound(to: ((Bytes, Bytes) -> Bool).self) else {
                            return .NO
                        }
                        let (name, value) = (HeadLines.bytes(name, nameSize), HeadLines.bytes(value, valueSize))
                        return body.pointee(name, value) ? .YES : .NO
                    }, UnsafeMutableRawPointer(mutating: body))
            }
        }
    }

    private static func bytes(_ start: UnsafePointer<CChar>?, _ count: Int) -> Bytes {
        UnsafeBufferPointer(
            start: start.map { UnsafeRawPointer($0).assumingMemoryBound(to: UInt8.self) },
            count: start == nil ? 0 : count)
    }
}
