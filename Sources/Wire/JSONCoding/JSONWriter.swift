import ObjectModel

/// Writes JSON text byte by byte into a growing buffer. It adds commas itself; the caller has to alternate names and
/// values and to close what it opened.
///
/// Reference semantics, so that several writers of parts share one buffer. Used by one thread at a time.
package final class JSONWriter {
    private struct State {
        var base: UnsafeMutablePointer<UInt8>
        var capacity: Int
        var count = 0
        var needsComma = false
        /// The memory that counts the buffer once it is long; nil if nothing does.
        var memory: TextMemory?
        /// The bytes reserved there.
        var counted = 0
        var isExhausted = false
    }

    /// Behind a pointer: Swift checks at run time that accesses to a class's own variables do not overlap, which took a
    /// twentieth of the time of a page.
    private let state: UnsafeMutablePointer<State>

    private var base: UnsafeMutablePointer<UInt8> {
        @inline(__always) get { state.pointee.base }
        @inline(__always) set { state.pointee.base = newValue }
    }

    private var capacity: Int {
        @inline(__always) get { state.pointee.capacity }
        @inline(__always) set { state.pointee.capacity = newValue }
    }

    /// Bytes written so far.
    package private(set) var count: Int {
        @inline(__always) get { state.pointee.count }
        @inline(__always) set { state.pointee.count = newValue }
    }

    private var needsComma: Bool {
        @inline(__always) get { state.pointee.needsComma }
        @inline(__always) set { state.pointee.needsComma = newValue }
    }

    /// - Parameter memory: what counts the buffer when it becomes long; nil for that of the thread on which it does.
    package init(capacity: Int = 4096, memory: TextMemory? = nil) {
        let capacity = max(capacity, 64)
        state = .allocate(capacity: 1)
        state.initialize(to: State(base: .allocate(capacity: capacity), capacity: capacity, memory: memory))
        if capacity > TextMemory.short { reserveMemory(for: capacity) }
    }

    deinit {
        reserveMemory(for: 0)
        base.deallocate()
        state.deinitialize(count: 1)
        state.deallocate()
    }

    /// Whether there was no memory for the text at some time. It is complete nevertheless, but its writer should give
    /// up.
    package var isExhausted: Bool { state.pointee.isExhausted }

    /// The written bytes.
    package var bytes: [UInt8] { Array(UnsafeBufferPointer(start: base, count: count)) }

    /// The written bytes from `start` on.
    package func bytes(from start: Int) -> [UInt8] {
        Array(UnsafeBufferPointer(rebasing: UnsafeBufferPointer(start: base, count: count)[min(start, count)...]))
    }

    /// Lends the written bytes; valid during the call only.
    package func withBytes<R>(_ body: (UnsafeBufferPointer<UInt8>) throws -> R) rethrows -> R {
        try body(UnsafeBufferPointer(start: base, count: count))
    }

    /// A position in the output to return to.
    package struct Mark {
        fileprivate let count: Int
        fileprivate let needsComma: Bool
    }

    package var mark: Mark { Mark(count: count, needsComma: needsComma) }

    /// Discards the output since the mark.
    package func goBack(to mark: Mark) {
        count = min(mark.count, count)
        needsComma = mark.needsComma
    }

    /// Returns the written bytes and removes them; further output follows them.
    package func takeBytes() -> [UInt8] {
        defer { count = 0 }
        // A large value is the exception: its capacity is not kept for later output.
        guard capacity > Self.maximumRetained else { return bytes }
        let taken = bytes
        renew(4096)
        return taken
    }

    /// Replaces the buffer, which the caller has released or does not need.
    private func renew(_ size: Int) {
        base.deallocate()
        forget(size)
    }

    private func forget(_ size: Int) {
        capacity = size
        base = .allocate(capacity: size)
        reserveMemory(for: 0)
        state.pointee.isExhausted = false
    }

    /// Counts the buffer's capacity: long ones only.
    private func reserveMemory(for capacity: Int) {
        let now = capacity > TextMemory.short ? capacity : 0
        guard now != state.pointee.counted else { return }
        if state.pointee.memory == nil { state.pointee.memory = TextMemory.current }
        guard let memory = state.pointee.memory else { return }
        let before = state.pointee.counted
        if now < before {
            memory.release(before - now)
        } else if !memory.reserve(now - before, own: before) {
            state.pointee.isExhausted = true
        }
        state.pointee.counted = now
    }

    private static let maximumRetained = 1 << 18

    /// Releases the buffer with the written bytes to the caller, who deallocates it. Continues with a new one.
    package func releaseBuffer() -> UnsafeMutableRawBufferPointer {
        let released = UnsafeMutableRawBufferPointer(start: base, count: count)
        forget(64)
        removeAll()
        return released
    }

    /// Discards all output and keeps the buffer, unless there was no memory for it.
    package func removeAll() {
        if isExhausted { renew(64) }
        count = 0
        needsComma = false
    }

    // MARK: Structure

    package func beginObject() { open(UInt8(ascii: "{")) }
    package func endObject() { close(UInt8(ascii: "}")) }
    package func beginArray() { open(UInt8(ascii: "[")) }
    package func endArray() { close(UInt8(ascii: "]")) }

    /// Ends a line of a text with one value per line.
    package func endLine() {
        put(UInt8(ascii: "\n"))
        needsComma = false
    }

    /// Writes the name of the next value.
    package func name(_ name: String) {
        comma()
        escape(name)
        put(UInt8(ascii: ":"))
        needsComma = false
    }

    /// Writes the name of the next value in the form of `escapedName`, which saves the search for characters to escape.
    package func name(escaped: [UInt8]) {
        comma()
        escaped.withUnsafeBufferPointer(put)
        needsComma = false
    }

    /// Writes one of several names.
    package func name(_ index: Int, of names: EscapedNames) {
        comma()
        names.withBytes(index) { name in
            guard let source = name.baseAddress.map({ UnsafeRawPointer($0) }) else { return }
            // By words, since names are short: what is read too much is within the buffer of `names`, which has as many
            // bytes behind the last name, and what is written too much is within the reserved part of this one.
            reserve(name.count + EscapedNames.spare)
            let target = UnsafeMutableRawPointer(base + count)
            for offset in stride(from: 0, to: name.count, by: 8) {
                target.storeBytes(
                    of: source.loadUnaligned(fromByteOffset: offset, as: UInt64.self), toByteOffset: offset,
                    as: UInt64.self)
            }
            count += name.count
        }
        needsComma = false
    }

    /// A name in quotes with its colon, for `name(escaped:)`.
    package static func escapedName(_ name: String) -> [UInt8] {
        let writer = JSONWriter(capacity: name.utf8.count + 8)
        writer.name(name)
        return writer.bytes
    }

    // MARK: Values

    package func null() { literal("null") }
    package func bool(_ value: Bool) { literal(value ? "true" : "false") }

    // Not one generic function: other modules would call it unspecialised.

    /// Writes all 64 bits, in decimal.
    package func int(_ value: Int64) { integer(value.magnitude, isNegative: value < 0) }
    package func int(_ value: Int) { integer(UInt64(value.magnitude), isNegative: value < 0) }
    package func int(_ value: UInt64) { integer(value, isNegative: false) }
    package func int(_ value: UInt32) { integer(UInt64(value), isNegative: false) }

    /// Writes the shortest text that parses as the same number; `"NaN"`, `"Infinity"` and `"-Infinity"` as strings.
    package func double(_ value: Double) {
        if short(value) { return }
        guard value.isFinite else { return nonFinite(isNaN: value.isNaN, isNegative: value < 0) }
        number(value.description)
    }

    /// Writes a number that has at most three digits after its point and twelve before it, such as a price. Returns
    /// false for others.
    ///
    /// A decimal of at most fifteen digits is the only one of its length that parses as its number, so the shortest one
    /// that does is found by taking the zeros from its end. That it does parse as the number is what the division
    /// shows: both its parts are exact, and it rounds as a parser does.
    private func short(_ value: Double) -> Bool {
        let magnitude = abs(value)
        guard magnitude < 1e12, magnitude >= 1e-3 else { return false }
        let thousandths = (magnitude * 1000).rounded()
        guard thousandths / 1000 == magnitude else { return false }
        comma()
        reserve(24)
        if value < 0 {
            base[count] = UInt8(ascii: "-")
            count += 1
        }
        let (whole, rest) = UInt64(thousandths).quotientAndRemainder(dividingBy: 1000)
        unsigned(whole)
        base[count] = UInt8(ascii: ".")
        count += 1
        var (fraction, width) = (Int(rest), 3)
        while width > 1, fraction % 10 == 0 {
            fraction /= 10
            width -= 1
        }
        digits(fraction, width: width)
        needsComma = true
        return true
    }

    /// Writes the shortest text that parses as the same Float.
    package func float(_ value: Float) {
        guard value.isFinite else { return nonFinite(isNaN: value.isNaN, isNegative: value < 0) }
        number(value.description)
    }

    package func string(_ value: String) {
        comma()
        escape(value)
        needsComma = true
    }

    /// Writes a string of valid UTF-8.
    package func string(utf8: UnsafeBufferPointer<UInt8>) {
        comma()
        escape(utf8)
        needsComma = true
    }

    /// Writes text of ASCII letters, digits and signs that need no escaping, in quotes.
    package func plainString(_ value: String) {
        comma()
        put(UInt8(ascii: "\""))
        var value = value
        value.withUTF8(put)
        put(UInt8(ascii: "\""))
        needsComma = true
    }

    /// Writes a value that is already JSON text.
    package func json(_ bytes: [UInt8]) {
        comma()
        bytes.withUnsafeBufferPointer(put)
        needsComma = true
    }

    /// Writes the text of another writer, which is a value.
    package func json(_ other: JSONWriter) {
        comma()
        other.withBytes(put)
        needsComma = true
    }

    /// Writes a document in memory.
    package func value(_ value: JSONValue) {
        switch value {
        case .null: null()
        case .bool(let value): bool(value)
        case .int(let value): int(value)
        case .double(let value): double(value)
        case .precise(let value, _): number(value.description)
        case .string(let value): string(value)
        case .array(let elements):
            beginArray()
            for element in elements { self.value(element) }
            endArray()
        case .long(let elements):
            beginArray()
            // It was parsed before.
            try? elements.forEach { self.value($0) }
            endArray()
        case .object(let object):
            beginObject()
            for member in object.members {
                name(member.name)
                self.value(member.value)
            }
            endObject()
        }
    }

    // MARK: Bytes

    /// Makes room for `extra` more bytes.
    @inline(__always)
    func reserve(_ extra: Int) {
        if capacity - count < extra { grow(extra) }
    }

    /// The capacity up to which a growing buffer doubles; larger ones grow by a quarter.
    private static let doubledUpTo = 1 << 20

    @inline(never)
    private func grow(_ extra: Int) {
        // A long text takes more than its own size only while it is copied, and then little more than twice.
        let larger = max(capacity < Self.doubledUpTo ? capacity * 2 : capacity + capacity / 4, count + extra)
        if larger > TextMemory.short { reserveMemory(for: larger) }
        let moved = UnsafeMutablePointer<UInt8>.allocate(capacity: larger)
        moved.moveInitialize(from: base, count: count)
        base.deallocate()
        base = moved
        capacity = larger
    }

    @inline(__always)
    func put(_ byte: UInt8) {
        reserve(1)
        base[count] = byte
        count += 1
    }

    @inline(__always)
    func put(_ bytes: UnsafeBufferPointer<UInt8>) {
        guard let source = bytes.baseAddress else { return }
        reserve(bytes.count)
        (base + count).initialize(from: source, count: bytes.count)
        count += bytes.count
    }

    /// Appends `length` bytes, all of which `body` writes.
    func append(_ length: Int, _ body: (UnsafeMutableBufferPointer<UInt8>) -> Void) {
        reserve(length)
        body(UnsafeMutableBufferPointer(start: base + count, count: length))
        count += length
    }

    /// Appends the bytes that `body` writes, of which it returns the number. Returns whether there were any.
    func append(atMost length: Int, _ body: (UnsafeMutableBufferPointer<UInt8>) -> Int) -> Bool {
        reserve(length)
        let written = body(UnsafeMutableBufferPointer(start: base + count, count: length))
        count += written
        return written > 0
    }

    @inline(__always)
    func comma() {
        if needsComma { put(UInt8(ascii: ",")) }
    }

    func didWriteValue() { needsComma = true }

    private func open(_ bracket: UInt8) {
        comma()
        put(bracket)
        needsComma = false
    }

    private func close(_ bracket: UInt8) {
        put(bracket)
        needsComma = true
    }

    private func literal(_ text: StaticString) {
        comma()
        text.withUTF8Buffer(put)
        needsComma = true
    }

    private func number(_ text: String) {
        comma()
        var text = text
        text.withUTF8(put)
        needsComma = true
    }

    private func nonFinite(isNaN: Bool, isNegative: Bool) {
        literal(isNaN ? "\"NaN\"" : (isNegative ? "\"-Infinity\"" : "\"Infinity\""))
    }

    private func integer(_ magnitude: UInt64, isNegative: Bool) {
        comma()
        reserve(21)
        if isNegative {
            base[count] = UInt8(ascii: "-")
            count += 1
        }
        unsigned(magnitude)
        needsComma = true
    }

    /// Appends a number for which 20 bytes are reserved.
    private func unsigned(_ number: UInt64) {
        var rest = number
        // The last eight digits at most make one word, of which the first digit is the lowest byte.
        if rest >= 100_000_000 {
            unsigned(rest / 100_000_000)
            return digits(Int(rest % 100_000_000), width: 8)
        }
        var word: UInt64 = 0
        var length = 0
        repeat {
            let next = rest / 10
            word = word << 8 | (UInt64(UInt8(ascii: "0")) + rest - next * 10)
            rest = next
            length += 1
        } while rest != 0
        // Of the eight bytes that are written, those beyond the length are reserved.
        UnsafeMutableRawPointer(base + count).storeBytes(of: word.littleEndian, as: UInt64.self)
        count += length
    }

    /// Appends a number of at least `width` digits, zeros first, without a comma; `value` is not negative.
    func digits(_ value: Int, width: Int) {
        reserve(width)
        var rest = value
        for index in stride(from: count + width - 1, through: count, by: -1) {
            base[index] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        }
        count += width
    }
}
