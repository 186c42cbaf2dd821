import Testing

@testable import RealmFiles

@Suite("Maps")
struct MapTests {
    private typealias Column = TableDraft.Column
    private typealias Writer = NodeWriter

    private func file(
        _ type: Int64 = 6, attributes: Int64 = 0, keyType: Int64 = 2, format: UInt8 = 24,
        _ map: (inout NodeWriter) -> Int64
    ) -> [UInt8] {
        let column = Column(
            type: type, attributes: Column.map | Column.nullable | attributes, keyType: keyType)
        return NodeWriter.file(column, rows: 2, format: format) { writer in
            let root = map(&writer)
            return writer.refs([root, 0])
        }
    }

    @Test("have their entries in two trees, in the order of the keys' bytes")
    func entries() throws {
        let bytes = file { writer in
            let keys = writer.shortStrings(["é", "z", "e\u{301}", ""], width: 8)
            let values = writer.mixed((1...4).map { Writer.code(0, $0) })
            return writer.refs([keys, values])
        }
        // é in one letter and in two are the same to Swift, and two keys here.
        #expect(try ValueText.column(of: bytes) == ["{''=4 'e\u{301}'=3 'z'=2 'é'=1}", "{}"])
    }

    @Test("have numbers for keys where the column says so")
    func integerKeys() throws {
        let bytes = file(keyType: 0) { writer in
            let keys = writer.integers([-5, 0, 9])
            let values = writer.mixed((1...3).map { Writer.code(0, $0) })
            return writer.refs([keys, values])
        }
        #expect(try ValueText.column(of: bytes) == ["{-5=1 0=2 9=3}", "{}"])
        #expect(ValueText.damage(of: file(keyType: 1) { _ in 0 }) == "the map 'p' has keys of the type 1")
    }

    @Test("of formats 21 and 22 are trees of clusters", arguments: [21, 22] as [UInt8])
    func hashed(format: UInt8) throws {
        let bytes = file(format: format) { writer in
            let hashes = writer.integers([7, 1 << 40], width: 64)
            let keys = writer.shortStrings(["b", "a"], width: 4)
            let values = writer.mixed([Writer.code(0, 1), Writer.code(0, 2)])
            return writer.refs([hashes, keys, values])
        }
        #expect(try ValueText.column(of: bytes) == ["{'a'=2 'b'=1}", "{}"])
    }

    @Test("have each key once, and a value for each")
    func faults() {
        func map(_ keys: [String?], _ values: Int) -> String {
            ValueText.damage(
                of: file { writer in
                    let names = writer.shortStrings(keys, width: 4)
                    let codes = writer.mixed([Int64](repeating: 0, count: values))
                    return writer.refs([names, codes])
                })
        }
        #expect(map(["a", "b"], 2) == "– nil")
        #expect(map(["b", "a", "b"], 3) == "a map has a key twice")
        #expect(map(["a", "b"], 1) == "a map has 2 keys and 1 values")
        #expect(map([nil], 1) == "a value is null that must not be")
        #expect(ValueText.damage(of: file { $0.refs([0, 0]) }) == "a map has no keys or no values")
    }

    @Test("have values of their column's type")
    func types() {
        func map(_ type: Int64, _ code: Int64, attributes: Int64 = 0) -> String {
            ValueText.damage(
                of: file(type, attributes: attributes) { writer in
                    let names = writer.shortStrings(["a"], width: 4)
                    let codes = writer.mixed([code])
                    return writer.refs([names, codes])
                })
        }
        #expect(map(0, Writer.code(0, 1)) == "– nil")
        #expect(map(0, 0) == "– nil")
        #expect(map(1, Writer.code(1, 1)) == "– nil")
        #expect(map(1, Writer.code(0, 1)) == "a map has a value of another type than its column")
        #expect(map(2, Writer.code(0, 1)) == "a map has a value of another type than its column")
    }
}
