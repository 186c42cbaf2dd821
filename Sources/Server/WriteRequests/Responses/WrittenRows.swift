import HTTPMessages
import HTTPServer
import JSONCoding
import ObjectCoding
import ObjectModel
import StoreContract
import Synchronization

/// The body of the response to a write, written while it is sent.
///
/// After a given size, objects are written as their keys only, and the last member, `shortened`, tells how many: their
/// positions in the response identify the client's objects. An object that the caller cannot see is null.
final class WrittenRows: BodySource {
    private struct State {
        var look: LinkResolver
        let json = JSONWriter(capacity: 4096)
        var plans: [ClassID: (whole: RowPlan, key: RowPlan)] = [:]
        /// The index of the row, and that of its key.
        var rows = 0
        var key = 0
        /// The number of bytes of the text that are written.
        var text = 0
        var given = 0
        var hasWhole = false
        var shortened = 0
        var isOver = false
    }

    private let response: WriteResponse
    private let source: any ObjectReads
    private let answerBytes: Int
    private let state: Mutex<State>

    private static let piece = 64 << 10
    /// The errors of reading an object that the caller cannot see.
    private static let absences: Set<StoreError.Code> = [.notFound, .unknownClass, .accessDenied]

    init(_ response: WriteResponse, _ source: any ObjectReads, answerBytes: Int) {
        self.response = response
        self.source = source
        self.answerBytes = answerBytes
        state = Mutex(State(look: LinkResolver(source, remembers: true)))
    }

    func next() -> [UInt8]? {
        state.withLock { state in
            guard !state.isOver else { return nil }
            var piece: [UInt8] = []
            while piece.count < Self.piece, state.rows < response.rows.count { write(&state, into: &piece) }
            if state.rows == response.rows.count {
                finish(&state, into: &piece)
                state.isOver = true
            }
            state.given += piece.count
            return piece
        }
    }

    /// Writes one object, and the text before it.
    private func write(_ state: inout State, into piece: inout [UInt8]) {
        let rows = response.rows[state.rows]
        if state.key == 0 {
            piece += response.text[state.text..<rows.offset]
            state.text = rows.offset + 4
        } else {
            piece.append(UInt8(ascii: ","))
        }
        state.json.removeAll()
        let key = rows.keys[state.key]
        // The keys are needed to continue, and are as long as in the request.
        let isShort = rows.form == .whole && state.hasWhole && state.given + piece.count >= answerBytes
        do {
            try write(key, rows, isShort: isShort, &state)
            if rows.form == .whole, !isShort { state.hasWhole = true }
            if isShort { state.shortened += 1 }
        } catch {
            // The write was committed, and the rest of the response must say so.
            state.json.removeAll()
            state.json.null()
            state.look = LinkResolver(source, remembers: true)
            let isAbsent = (error as? StoreError).map { Self.absences.contains($0.code) } ?? false
            if !isAbsent { state.shortened += 1 }
        }
        state.json.withBytes { piece += $0 }
        state.key += 1
        if state.key == rows.keys.count {
            state.rows += 1
            state.key = 0
        }
    }

    private func write(_ key: ObjectKey, _ rows: WriteResponse.Rows, isShort: Bool, _ state: inout State) throws {
        guard let objectClass = source.schema[rows.classID] else { throw StoreError.unknownClass(rows.classID) }
        let property = objectClass.primaryKeyProperty
        if rows.form == .key {
            return state.json.value(
                try property.map { try source.value(rows.classID, key, $0.id) } ?? .int(key.rawValue), rows.style)
        }
        let schema = source.schema
        let plans =
            state.plans[rows.classID]
            ?? (
                RowPlan(objectClass, of: schema, style: rows.style),
                RowPlan(objectClass, of: schema, properties: property.map { [$0] } ?? [], style: rows.style)
            )
        state.plans[rows.classID] = plans
        try state.look.object(key, isShort ? plans.key : plans.whole, state.json)
        if let fault = state.look.fault { throw fault }
    }

    private func finish(_ state: inout State, into piece: inout [UInt8]) {
        let rest = response.text[state.text...]
        guard state.shortened > 0, rest.last == UInt8(ascii: "}") else {
            piece += rest
            return
        }
        piece += rest.dropLast()
        piece += ",\"shortened\":\(state.shortened)}".utf8
    }
}
