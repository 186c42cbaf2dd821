import HTTPMessages

/// Reads one HTTP/1 response from the bytes of a connection, in pieces of any size.
struct ResponseReader {
    enum Error: Swift.Error {
        case malformed
        case tooLong
    }

    /// What comes next.
    private enum State {
        case statusLine
        case fields
        case body(left: Int)
        case bodyUntilEnd
        case chunkSize
        case chunk(left: Int)
        case chunkEnd
        case trailers
        case whole
    }

    private static let headLimit = 64 << 10
    private let limit: Int
    private let hasBody: Bool
    private var state = State.statusLine
    private var input: [UInt8] = []
    /// The first byte of the input that is not yet read.
    private var position = 0
    private var headLength = 0
    private var status = 0
    private var headers = HeaderFields()
    private var body: [UInt8] = []

    /// - Parameters:
    ///   - limit: the maximum length of the body.
    ///   - hasBody: false for the response to a `HEAD` request.
    init(limit: Int, hasBody: Bool = true) {
        self.limit = limit
        self.hasBody = hasBody
    }

    var isWhole: Bool { if case .whole = state { true } else { false } }

    /// The response, once it is whole.
    var response: Response { Response(status: status, headers: headers, body: .bytes(body)) }

    /// Reads further bytes. Those behind the response are ignored.
    mutating func feed(_ bytes: some Collection<UInt8>) throws(Error) {
        input += bytes
        while try step() {}
        input.removeFirst(position)
        position = 0
    }

    /// Tells that no more bytes come. Throws if the response is not whole.
    mutating func end() throws(Error) {
        if case .bodyUntilEnd = state { state = .whole }
        guard isWhole else { throw .malformed }
    }

    /// Returns false if it needs more bytes, or none.
    private mutating func step() throws(Error) -> Bool {
        switch state {
        case .statusLine:
            guard let line = try line() else { return false }
            try readStatus(line)
            state = .fields
        case .fields:
            guard let line = try line() else { return false }
            if line.isEmpty { try beginBody() } else { try readField(line) }
        case .body(let left):
            guard let left = try moveToBody(left) else { return false }
            state = left == 0 ? .whole : .body(left: left)
        case .bodyUntilEnd: return try moveToBody(.max) != nil
        case .chunkSize:
            guard let line = try line() else { return false }
            let digits = line.prefix { $0 != ";" }.trimmingBlanks
            guard !digits.hasPrefix("+"), let size = Int(digits, radix: 16), size >= 0 else { throw .malformed }
            state = size == 0 ? .trailers : .chunk(left: size)
            headLength = 0
        case .chunk(let left):
            guard let left = try moveToBody(left) else { return false }
            state = left == 0 ? .chunkEnd : .chunk(left: left)
        case .chunkEnd:
            guard let line = try line() else { return false }
            guard line.isEmpty else { throw .malformed }
            state = .chunkSize
        case .trailers:
            guard let line = try line() else { return false }
            if line.isEmpty { state = .whole }
        case .whole: return false
        }
        return true
    }

    /// Takes the next line, without its end; nil if it is not complete.
    private mutating func line() throws(Error) -> String? {
        guard let end = input[position...].firstIndex(of: 0x0a) else {
            guard headLength + input.count - position <= Self.headLimit else { throw .malformed }
            return nil
        }
        var line = input[position..<end]
        headLength += line.count + 1
        guard headLength <= Self.headLimit else { throw .malformed }
        position = end + 1
        if line.last == 0x0d { line.removeLast() }
        guard let text = String(validating: line, as: UTF8.self) else { throw .malformed }
        return text
    }

    /// Moves up to so many bytes from the input; returns how many are left, nil without input.
    private mutating func moveToBody(_ left: Int) throws(Error) -> Int? {
        let count = min(left, input.count - position)
        guard count > 0 else { return nil }
        guard count <= limit - body.count else { throw .tooLong }
        body += input[position..<position + count]
        position += count
        return left - count
    }

    private mutating func readStatus(_ line: String) throws(Error) {
        let words = line.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
        guard words.count >= 2, words[0].hasPrefix("HTTP/1."), words[1].utf8.count == 3, let status = Int(words[1]),
            (100...599).contains(status)
        else { throw .malformed }
        self.status = status
        headers = HeaderFields()
    }

    private mutating func readField(_ line: String) throws(Error) {
        guard let colon = line.firstIndex(of: ":"), colon != line.startIndex,
            !line[..<colon].contains(where: { $0 == " " || $0 == "\t" })
        else { throw .malformed }
        headers.add(String(line[..<colon]), String(line[line.index(after: colon)...].trimmingBlanks))
    }

    private mutating func beginBody() throws(Error) {
        if status < 200 {
            // An interim response precedes the response.
            state = .statusLine
        } else if !hasBody || status == 204 || status == 304 {
            state = .whole
        } else if let coding = headers["Transfer-Encoding"] {
            guard coding.lowercased() == "chunked" else { throw .malformed }
            state = .chunkSize
        } else if headers.has("Content-Length") {
            let lengths = Set(headers.filter { $0.name.lowercased() == "content-length" }.map(\.value))
            guard lengths.count == 1, let text = lengths.first, text.utf8.allSatisfy({ (48...57).contains($0) }),
                let length = Int(text)
            else { throw .malformed }
            guard length <= limit else { throw .tooLong }
            state = length == 0 ? .whole : .body(left: length)
        } else {
            state = .bodyUntilEnd
        }
    }
}
