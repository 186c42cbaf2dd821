import Glibc
import HTTPMessages

/// A running gateway, reached over HTTP with a connection for each request.
package struct RemoteGateway: GatewayPort {
    private let host: String
    private let port: Int
    /// In front of the paths, without a slash at the end.
    private let prefix: String
    private let token: String?
    private let connect: Connect

    /// Opens a connection and returns its descriptor, which the caller closes. Reads and writes time out after
    /// `seconds`.
    package typealias Connect = @Sendable (_ host: String, _ port: Int, _ seconds: Int) throws(ToolFault) -> Int32

    /// An address that is not `http://HOST[:PORT][/PATH]`, or a token that no header can have: a sentence.
    package struct AddressFault: Error {
        package let message: String
    }

    private static let seconds = 60
    private static let longest = 64 << 20

    package init(_ address: String, token: String?, connect: @escaping Connect) throws(AddressFault) {
        let scheme = "http://"
        guard address.hasPrefix(scheme) else {
            throw AddressFault(
                message: address.hasPrefix("https://")
                    ? "--url: this command does not speak HTTPS. Give it the gateway's own address on this machine or in this network, or the end of a tunnel."
                    : "--url is '\(address)'; it must be http://HOST:PORT.")
        }
        let rest = address.dropFirst(scheme.count)
        let place = rest.prefix { $0 != "/" }
        var path = rest.dropFirst(place.count)
        while path.last == "/" { path.removeLast() }
        let (name, number) = Self.parts(of: place)
        guard let number, !name.isEmpty, (1...65_535).contains(number),
            !address.utf8.contains(where: { $0 <= 0x20 || $0 == 0x7f || $0 == UInt8(ascii: "?") })
        else { throw AddressFault(message: "--url is '\(address)'; it must be http://HOST:PORT.") }
        if let token, token.utf8.contains(where: { $0 <= 0x20 || $0 >= 0x7f }) {
            throw AddressFault(message: "The token has characters that a header cannot have.")
        }
        host = name
        port = number
        prefix = String(path)
        self.token = token
        self.connect = connect
    }

    /// An IPv6 address is in brackets.
    private static func parts(of place: Substring) -> (host: String, port: Int?) {
        if place.first == "[", let end = place.firstIndex(of: "]") {
            let rest = place[place.index(after: end)...]
            let host = String(place[place.index(after: place.startIndex)..<end])
            return (host, rest.isEmpty ? 80 : rest.first == ":" ? Int(rest.dropFirst()) : nil)
        }
        guard let colon = place.lastIndex(of: ":") else { return (String(place), 80) }
        return (String(place[..<colon]), Int(place[place.index(after: colon)...]))
    }

    package func send(_ request: GatewayRequest) throws(ToolFault) -> GatewayAnswer {
        var head =
            "\(request.method) \(prefix)\(request.target) HTTP/1.1\r\nHost: \(host.contains(":") ? "[\(host)]" : host):\(port)\r\nConnection: close\r\nAccept: application/json\r\n"
        if let token { head += "Authorization: Bearer \(token)\r\n" }
        if let body = request.body { head += "Content-Type: application/json\r\nContent-Length: \(body.count)\r\n" }
        let answer = try exchange(Array((head + "\r\n").utf8) + (request.body ?? []))
        guard let answer = HTTPAnswer.parse(answer) else {
            throw ToolFault("\(host):\(port) did not give a whole response of HTTP.")
        }
        return answer
    }

    private func exchange(_ request: [UInt8]) throws(ToolFault) -> [UInt8] {
        let socket = try connect(host, port, Self.seconds)
        defer { close(socket) }
        var sent = 0
        while sent < request.count {
            let count = request[sent...].withUnsafeBytes {
                Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            if count < 0, errno == EINTR { continue }
            // A refusal may come before the whole request is taken.
            guard count > 0 else { break }
            sent += count
        }
        var answer: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while answer.count <= Self.longest {
            let count = buffer.withUnsafeMutableBytes { recv(socket, $0.baseAddress, $0.count, 0) }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw ToolFault("The gateway did not respond within \(Self.seconds) s.") }
            if count == 0 { return answer }
            answer += buffer[..<count]
        }
        throw ToolFault("The response is longer than \(Self.longest >> 20) MiB. Ask for less.")
    }
}

/// A complete HTTP/1.1 response, read until the server closed the connection.
enum HTTPAnswer {
    /// Nil for what is not a whole response.
    static func parse(_ bytes: [UInt8]) -> GatewayAnswer? {
        let lineEnd: [UInt8] = [13, 10]
        func end(_ mark: [UInt8], from start: Int) -> Int? {
            guard start <= bytes.count else { return nil }
            return bytes[start...].firstRange(of: mark)?.lowerBound
        }
        guard let headEnd = end(lineEnd + lineEnd, from: 0) else { return nil }
        let lines = String(decoding: bytes[..<headEnd], as: UTF8.self).split(separator: "\r\n")
        let words = lines.first?.split(separator: " ") ?? []
        guard words.count >= 2, words[0].hasPrefix("HTTP/1."), let status = Int(words[1]) else { return nil }
        var fields: [String: String] = [:]
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: ":") else { return nil }
            fields[line[..<colon].lowercased()] = String(line[line.index(after: colon)...].trimmingBlanks)
        }
        let start = headEnd + 4
        guard fields["transfer-encoding"]?.lowercased() == "chunked" else {
            let rest = bytes[start...]
            guard let length = fields["content-length"] else { return GatewayAnswer(status: status, body: Array(rest)) }
            guard let count = Int(length), count >= 0, rest.count >= count else { return nil }
            return GatewayAnswer(status: status, body: Array(rest.prefix(count)))
        }
        var body: [UInt8] = []
        var place = start
        while let lineEndPlace = end(lineEnd, from: place) {
            let size = String(decoding: bytes[place..<lineEndPlace], as: UTF8.self).prefix { $0 != ";" }
            guard let count = Int(size, radix: 16), count >= 0 else { return nil }
            if count == 0 { return GatewayAnswer(status: status, body: body) }
            let first = lineEndPlace + 2
            guard count <= bytes.count - first else { return nil }
            body += bytes[first..<first + count]
            place = first + count + 2
        }
        return nil
    }
}
