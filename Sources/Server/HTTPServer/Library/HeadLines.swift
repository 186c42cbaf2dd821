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
            throw .malformed("The request line must be a method, one space, the target, one space and HTTP/1.1.")
        }
        var reading = Reading(
            head: try RequestHead(version: Self.bytes(version, strlen(version))), limits: limits)
        withUnsafeMutablePointer(to: &reading) { reading in
            _ = MHD_get_connection_values_n(
                connection, .HEADER_KIND,
                { reading, _, name, nameSize, value, valueSize in
                    guard let reading, let name else { return .NO }
                    let place = reading.assumingMemoryBound(to: Reading.self)
                    do throws(HTTPError) {
                        try place.pointee.head.add(
                            name: HeadLines.bytes(name, nameSize),
                            value: value.map { HeadLines.bytes($0, valueSize) }
                                ?? UnsafeBufferPointer(start: nil, count: 0),
                            limits: place.pointee.limits)
                        return .YES
                    } catch {
                        place.pointee.fault = error
                        return .NO
                    }
                }, reading)
        }
        if let fault = reading.fault { throw fault }
        try reading.head.finish()
        return reading.head
    }

    /// Whether the fields behind a body in chunks are what fields may be. They are not used.
    var areTrailersSound: Bool {
        var areSound = true
        withUnsafeMutablePointer(to: &areSound) { areSound in
            _ = MHD_get_connection_values_n(
                connection, .FOOTER_KIND,
                { areSound, _, name, nameSize, value, valueSize in
                    guard let areSound, let name, nameSize > 0, HeadLines.bytes(name, nameSize).allSatisfy(isToken),
                        value.map({ HeadLines.bytes($0, valueSize).allSatisfy(isFieldByte) }) ?? true
                    else {
                        areSound?.assumingMemoryBound(to: Bool.self).pointee = false
                        return .NO
                    }
                    return .YES
                }, areSound)
        }
        return areSound
    }

    private struct Reading {
        var head: RequestHead
        let limits: RequestHead.Limits
        var fault: HTTPError?
    }

    private static func bytes(_ start: UnsafePointer<CChar>, _ count: Int) -> UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(start: UnsafeRawPointer(start).assumingMemoryBound(to: UInt8.self), count: count)
    }
}
