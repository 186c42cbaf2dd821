import CLibpq

/// The answer to one statement. Used by one thread at a time.
///
/// Reads check the length of each value, so that an answer of another type is an error and not another value.
final class PostgresRows {
    private let result: OpaquePointer

    /// Takes ownership of a `PGresult`.
    init(taking result: OpaquePointer) { self.result = result }

    deinit { PQclear(result) }

    /// Rows that the statement returned.
    var count: Int { Int(PQntuples(result)) }

    /// Rows that the statement inserted, updated or deleted.
    var affected: Int { Int(String(cString: PQcmdTuples(result))) ?? 0 }

    func isNull(_ row: Int, _ column: Int) -> Bool { PQgetisnull(result, Int32(row), Int32(column)) == 1 }

    func bytes(_ row: Int, _ column: Int) throws(PostgresError) -> [UInt8] { [UInt8](try raw(row, column)) }

    func text(_ row: Int, _ column: Int) throws(PostgresError) -> String {
        String(decoding: try raw(row, column), as: UTF8.self)
    }

    func int64(_ row: Int, _ column: Int) throws(PostgresError) -> Int64 { try number(row, column) }

    func int32(_ row: Int, _ column: Int) throws(PostgresError) -> Int32 { try number(row, column) }

    func bool(_ row: Int, _ column: Int) throws(PostgresError) -> Bool {
        let byte: UInt8 = try number(row, column)
        return byte != 0
    }

    private func number<Number: FixedWidthInteger & BitwiseCopyable>(
        _ row: Int, _ column: Int
    ) throws(PostgresError) -> Number {
        let bytes = try raw(row, column)
        guard bytes.count == MemoryLayout<Number>.size else {
            throw .unreadable("Column \(column + 1) has \(bytes.count) bytes, not \(MemoryLayout<Number>.size).")
        }
        return Number(bigEndian: bytes.loadUnaligned(as: Number.self))
    }

    /// The bytes of a value, valid as long as this object: callers above copy them.
    private func raw(_ row: Int, _ column: Int) throws(PostgresError) -> UnsafeRawBufferPointer {
        // libpq answers questions outside the result with nil and a notice, but only within these bounds.
        guard row >= 0, row < count, column >= 0, column < Int(PQnfields(result)), !isNull(row, column) else {
            throw .unreadable("Column \(column + 1) of row \(row + 1) has no value.")
        }
        let length = Int(PQgetlength(result, Int32(row), Int32(column)))
        guard let start = PQgetvalue(result, Int32(row), Int32(column)) else {
            throw .unreadable("Column \(column + 1) of row \(row + 1) has no value.")
        }
        return UnsafeRawBufferPointer(start: start, count: length)
    }
}
