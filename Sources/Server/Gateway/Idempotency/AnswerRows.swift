import JSONCoding
import ObjectModel
import Synchronization

/// Where in the answer to a write objects are written out, so that the answer can be made again without having been kept
/// as a whole.
final class AnswerRows: Sendable {
    /// That of the write which this thread does, if its answer is to be kept.
    @TaskLocal static var current: AnswerRows?

    struct Row: Sendable {
        /// Bytes of the answer's body. A comma in front may be among them.
        var range: Range<Int>
        let object: ObjectReference
        let style: TypeStyle
    }

    private let state = Mutex<[Row]>([])

    /// In the order of the answer.
    var rows: [Row] { state.withLock { $0 } }

    /// Notes that everything behind `start` is an object.
    static func note(_ object: ObjectReference, from start: Int, in json: JSONWriter, _ style: TypeStyle = .plain) {
        guard let current else { return }
        let row = Row(range: start..<json.count, object: object, style: style)
        current.state.withLock { $0.append(row) }
    }

    /// Forgets what was noted, because the answer begins anew.
    static func forget() { current?.state.withLock { $0 = [] } }
}
