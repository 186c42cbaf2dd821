import Testing

@testable import RealmFiles

@Suite("Trees of lists and of objects")
struct TreeTests {
    private typealias Column = TableDraft.Column
    private typealias Writer = NodeWriter

    private static let numbers = Column(type: 0, attributes: Column.list)

    private func list(_ root: (inout NodeWriter) -> Int64) -> [UInt8] {
        NodeWriter.file(Self.numbers, rows: 2) { writer in
            let list = root(&writer)
            return writer.refs([list, 0])
        }
    }

    /// An inner node over leaves of the given numbers. Offsets are those of the second child and on.
    private static func inner(
        _ writer: inout NodeWriter, _ children: [Int64], total: Int, each: Int? = nil, offsets: [Int64] = []
    ) -> Int64 {
        let form = each.map { Writer.tagged($0) } ?? writer.integers(offsets, isUnsigned: true)
        return writer.refs([form] + children + [Writer.tagged(total)], .inner)
    }

    @Test("lists are leaves, or leaves under inner nodes of both forms, in levels")
    func lists() throws {
        #expect(try ValueText.column(of: list { $0.integers([5, 6, 300]) }) == ["[5 6 300]", "[]"])
        let compact = list { writer in
            let children = [writer.integers([1, 2]), writer.integers([3, 400]), writer.integers([5])]
            return Self.inner(&writer, children, total: 5, each: 2)
        }
        #expect(try ValueText.column(of: compact) == ["[1 2 3 400 5]", "[]"])
        let general = list { writer in
            let left = [writer.integers([1]), writer.integers([2, 3, 4])]
            let first = Self.inner(&writer, left, total: 4, offsets: [1])
            let right = [writer.integers([5])]
            let second = Self.inner(&writer, right, total: 1, each: 1)
            return Self.inner(&writer, [first, second], total: 5, offsets: [4])
        }
        #expect(try ValueText.column(of: general) == ["[1 2 3 4 5]", "[]"])
    }

    @Test("offsets of 128 and more have no sign")
    func unsignedOffsets() throws {
        let bytes = list { writer in
            let children = [writer.integers([Int64](repeating: 1, count: 200)), writer.integers([2])]
            return Self.inner(&writer, children, total: 201, offsets: [200])
        }
        #expect(try ValueText.column(of: bytes)[0].hasSuffix("1 2]"))
    }

    @Test("an inner node tells the numbers of its elements")
    func wrongNumbers() {
        let total = list { writer in
            let children = [writer.integers([1, 2]), writer.integers([3])]
            return Self.inner(&writer, children, total: 4, each: 2)
        }
        #expect(ValueText.damage(of: total) == "it says 4 elements and has 3")
        for (each, offsets) in [(1, []), (Int.max >> 1, []), (nil, [1]), (nil, [])] as [(Int?, [Int64])] {
            let bytes = list { writer in
                let children = [writer.integers([1, 2]), writer.integers([3])]
                return Self.inner(&writer, children, total: 3, each: each, offsets: offsets)
            }
            #expect(ValueText.damage(of: bytes) == "its children have other numbers of elements than it says")
        }
    }

    @Test("a list that contains itself ends", arguments: [false, true])
    func circle(isDeep: Bool) {
        let bytes = list { writer in
            let here = Int64(writer.bytes.count)
            // The node names its own offset, which is that of the next node.
            return isDeep
                ? writer.refs([Writer.tagged(1), here, Writer.tagged(1)], .inner)
                : writer.refs([Writer.tagged(1)] + [Int64](repeating: here, count: 200) + [Writer.tagged(1)], .inner)
        }
        let expected =
            isDeep
            ? "collections are nested too deeply, or their trees"
            : "more is read than the file can have; nodes are shared or lead in a circle"
        #expect(ValueText.damage(of: bytes) == expected)
    }

    // MARK: objects

    private static func column(_ count: Int, from first: Int = 0, _ writer: inout NodeWriter) -> Int64 {
        writer.integers((0..<count).map { Int64(first + $0) })
    }

    private func keys(_ root: (inout NodeWriter) -> Int64) throws -> [String] {
        var writer = NodeWriter()
        let ref = root(&writer)
        let file = try RealmFile(bytes: writer.file([TableDraft(columns: [Column(type: 0)], root: ref)]))
        var found: [String] = []
        try file.forEachObject(of: file.tables[0]) { found.append("\($0.key)=\(ValueText.of($0.values[0]))") }
        #expect(try file.objectCount(of: file.tables[0]) == found.count)
        return found
    }

    private func damage(_ root: (inout NodeWriter) -> Int64) -> String {
        var writer = NodeWriter()
        let ref = root(&writer)
        return ValueText.damage(of: writer.file([TableDraft(columns: [Column(type: 0)], root: ref)]))
    }

    @Test("object keys are 0, 1, 2 and so on, or listed without a sign")
    func clusters() throws {
        #expect(try keys { $0.cluster(2, [Self.column(2, &$0)]) } == ["0=0", "1=1"])
        let listed = try keys { writer in
            let keys = writer.integers([3, 200, 255], width: 8)
            return writer.refs([keys, Self.column(3, &writer)])
        }
        #expect(listed == ["3=0", "200=1", "255=2"])
        #expect(try keys { $0.cluster(0, []) } == [])
        #expect(try keys { _ in 0 } == [])
    }

    @Test("object keys are sums of the offsets on the way")
    func innerNodes() throws {
        let found = try keys { writer in
            let leaves = [
                writer.cluster(2, [Self.column(2, &writer)]), writer.cluster(1, [Self.column(1, from: 2, &writer)]),
            ]
            let compact = writer.refs([0, Writer.tagged(1), Writer.tagged(3)] + leaves, .inner)
            let last = writer.cluster(1, [Self.column(1, from: 3, &writer)])
            let offsets = writer.integers([5], isUnsigned: true)
            let general = writer.refs([offsets, Writer.tagged(1), Writer.tagged(1), last], .inner)
            let tops = writer.integers([0, 1 << 40], width: 64)
            return writer.refs([tops, Writer.tagged(2), Writer.tagged(4), compact, general], .inner)
        }
        #expect(found == ["0=0", "1=1", "256=2", "\((1 << 40) + 5)=3"])
    }

    @Test("object keys ascend, in a cluster and from one to the next")
    func order() {
        for bad: [Int64] in [[2, 2], [2, 1], [-5, -1]] {
            let reason = damage { writer in
                let keys = writer.integers(bad, width: 64)
                return writer.refs([keys, Self.column(2, &writer)])
            }
            #expect(reason == "the keys do not ascend")
        }
        for offsets: [Int64] in [[0, 1], [9, 0], [0, .min]] {
            let reason = damage { writer in
                let leaves = [
                    writer.cluster(2, [Self.column(2, &writer)]), writer.cluster(1, [Self.column(1, &writer)]),
                ]
                let starts = writer.integers(offsets, width: 64)
                return writer.refs([starts, Writer.tagged(1), Writer.tagged(3)] + leaves, .inner)
            }
            #expect(reason == "the keys do not ascend")
        }
    }

    @Test("an inner node tells its level, its children and its objects")
    func wrongInnerNodes() {
        func tree(_ depth: Int, _ total: Int, _ offsets: Int = 0) -> String {
            damage { writer in
                let leaf = writer.cluster(1, [Self.column(1, &writer)])
                let starts = offsets == 0 ? 0 : writer.integers([Int64](repeating: 0, count: offsets))
                return writer.refs([starts, Writer.tagged(depth), Writer.tagged(total), leaf], .inner)
            }
        }
        #expect(tree(1, 1) == "– nil")
        #expect(tree(1, 2) == "it says 2 objects and has 1")
        #expect(tree(0, 1) == "it says that it is 0 levels above the objects")
        #expect(tree(65, 1) == "it says that it is 65 levels above the objects")
        #expect(tree(1, 1, 2) == "it has 1 children and 2 offsets")
        let circle = damage { writer in
            let here = Int64(writer.bytes.count)
            return writer.refs([0, Writer.tagged(3), Writer.tagged(3), here], .inner)
        }
        #expect(circle == "it says that it is 3 levels above the objects")
    }

    @Test("a cluster that claims more objects than any has is refused")
    func claims() {
        #expect(damage { $0.cluster(65_537, [Self.column(1, &$0)]) } == "it claims 65537 objects")
        #expect(damage { $0.cluster(Int.max >> 1, []) }.hasPrefix("it claims"))
    }
}
