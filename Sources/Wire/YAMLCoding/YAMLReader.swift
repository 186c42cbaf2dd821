import CYAML
import JSONCoding

/// Builds values from the library's events.
struct YAMLReader {
    typealias Parser = UnsafeMutablePointer<yaml_parser_t>

    static let outOfMemory = YAMLError(
        message: "There is not enough memory to read the text.", position: YAMLPosition(line: 1, column: 1))

    /// The content of one event of the library.
    private enum Event {
        case end
        case documentStart
        case documentEnd
        case alias(String)
        case scalar(String, isPlain: Bool, tag: String?, anchor: String?)
        case sequenceStart(tag: String?, anchor: String?)
        case mappingStart(tag: String?, anchor: String?)
        case collectionEnd
    }

    private var count = 0
    /// Complete values by their anchors, with the number of values in each. Unfinished values are not here, so no value
    /// can contain itself.
    private var anchors: [String: (node: YAMLNode, count: Int)] = [:]

    mutating func document(_ parser: Parser) throws(YAMLError) -> YAMLNode {
        let (first, start) = try next(parser)
        guard case .documentStart = first else {
            return YAMLNode(content: .scalar(.null), position: start)
        }
        let (event, position) = try next(parser)
        let node = try value(event, position, 0, parser)
        // The end of this document.
        _ = try next(parser)
        let (last, end) = try next(parser)
        guard case .end = last else {
            throw YAMLError(message: "There is a second document. Only one is allowed.", position: end)
        }
        return node
    }

    /// Recursion is bounded by `YAML.depthLimit`.
    private mutating func value(
        _ event: Event, _ position: YAMLPosition, _ depth: Int, _ parser: Parser
    ) throws(YAMLError) -> YAMLNode {
        let before = count
        try add(1, position)
        let node: YAMLNode
        let name: String?
        switch event {
        case .alias(let alias):
            guard let found = anchors[alias] else {
                throw YAMLError(
                    message: "There is no anchor '&\(alias)' before this, or the alias is within its own value.",
                    position: position)
            }
            try add(found.count - 1, position)
            return YAMLNode(content: found.node.content, position: position)
        case .scalar(let text, let isPlain, let tag, let anchor):
            node = YAMLNode(content: .scalar(try YAMLScalar.value(text, isPlain, tag, position)), position: position)
            name = anchor
        case .sequenceStart(let tag, let anchor):
            try check(tag, "tag:yaml.org,2002:seq", position, depth)
            var elements: [YAMLNode] = []
            while true {
                let (event, position) = try next(parser)
                if case .collectionEnd = event { break }
                elements.append(try value(event, position, depth + 1, parser))
            }
            node = YAMLNode(content: .sequence(elements), position: position)
            name = anchor
        case .mappingStart(let tag, let anchor):
            try check(tag, "tag:yaml.org,2002:map", position, depth)
            node = YAMLNode(content: .mapping(try entries(depth, parser)), position: position)
            name = anchor
        case .end, .documentStart, .documentEnd, .collectionEnd:
            throw YAMLError(message: "A value is missing here.", position: position)
        }
        if let name { anchors[name] = (node, count - before) }
        return node
    }

    private mutating func entries(_ depth: Int, _ parser: Parser) throws(YAMLError) -> [YAMLNode.Entry] {
        var entries: [YAMLNode.Entry] = []
        var names: [String: YAMLPosition] = [:]
        while true {
            let (event, position) = try next(parser)
            if case .collectionEnd = event { return entries }
            guard case .scalar(let name, _, _, nil) = event else {
                throw YAMLError(message: "A name must be a string, without an anchor.", position: position)
            }
            if let first = names[name] {
                throw YAMLError(message: "'\(name)' is already defined in line \(first.line).", position: position)
            }
            names[name] = position
            let (start, valuePosition) = try next(parser)
            let value = try value(start, valuePosition, depth + 1, parser)
            entries.append(YAMLNode.Entry(name: name, position: position, value: value))
        }
    }

    private func check(_ tag: String?, _ expected: String, _ position: YAMLPosition, _ depth: Int) throws(YAMLError) {
        guard depth < YAML.depthLimit else {
            throw YAMLError(message: "This is nested deeper than \(YAML.depthLimit) levels.", position: position)
        }
        guard tag == nil || tag == expected || tag == "!" else {
            throw YAMLError(message: "The tag '\(tag ?? "")' is not supported here. Remove it.", position: position)
        }
    }

    private mutating func add(_ more: Int, _ position: YAMLPosition) throws(YAMLError) {
        count += more
        guard count <= YAML.nodeLimit else {
            throw YAMLError(
                message: "The document has more than \(YAML.nodeLimit) values, including those of aliases.",
                position: position
            )
        }
    }

    // MARK: The library

    private func next(_ parser: Parser) throws(YAMLError) -> (Event, YAMLPosition) {
        while true {
            var event = yaml_event_t()
            guard yaml_parser_parse(parser, &event) == 1 else { throw Self.error(parser) }
            defer { yaml_event_delete(&event) }
            let mark = event.start_mark
            let position = YAMLPosition(line: Int(mark.line) + 1, column: Int(mark.column) + 1)
            let known: Event
            switch event.type {
            case YAML_STREAM_START_EVENT, YAML_NO_EVENT: continue
            case YAML_STREAM_END_EVENT: known = .end
            case YAML_DOCUMENT_START_EVENT: known = .documentStart
            case YAML_DOCUMENT_END_EVENT: known = .documentEnd
            case YAML_ALIAS_EVENT: known = .alias(Self.text(event.data.alias.anchor) ?? "")
            case YAML_SCALAR_EVENT:
                let scalar = event.data.scalar
                let text = String(
                    decoding: UnsafeBufferPointer(start: scalar.value, count: Int(scalar.length)), as: UTF8.self)
                known = .scalar(
                    text, isPlain: scalar.style == YAML_PLAIN_SCALAR_STYLE, tag: Self.text(scalar.tag),
                    anchor: Self.text(scalar.anchor))
            case YAML_SEQUENCE_START_EVENT:
                let start = event.data.sequence_start
                known = .sequenceStart(tag: Self.text(start.tag), anchor: Self.text(start.anchor))
            case YAML_MAPPING_START_EVENT:
                let start = event.data.mapping_start
                known = .mappingStart(tag: Self.text(start.tag), anchor: Self.text(start.anchor))
            case YAML_SEQUENCE_END_EVENT, YAML_MAPPING_END_EVENT: known = .collectionEnd
            default: throw YAMLError(message: "This is not valid YAML.", position: position)
            }
            return (known, position)
        }
    }

    private static func text(_ bytes: UnsafePointer<yaml_char_t>?) -> String? {
        bytes.map { String(decoding: UnsafeBufferPointer(start: $0, count: strlen($0)), as: UTF8.self) }
    }

    private static func text(_ bytes: UnsafeMutablePointer<yaml_char_t>?) -> String? {
        text(bytes.map { UnsafePointer($0) })
    }

    private static func strlen(_ bytes: UnsafePointer<yaml_char_t>) -> Int {
        var count = 0
        while bytes[count] != 0 { count += 1 }
        return count
    }

    private static func error(_ parser: Parser) -> YAMLError {
        let problem = parser.pointee.problem.map { String(cString: $0) } ?? "it cannot be read"
        let context = parser.pointee.context.map { " \(String(cString: $0))" } ?? ""
        switch parser.pointee.error {
        case YAML_MEMORY_ERROR: return outOfMemory
        case YAML_READER_ERROR:
            return YAMLError(
                message: "The text is not valid UTF-8, or contains forbidden characters, at byte "
                    + "\(parser.pointee.problem_offset): \(problem).",
                position: position(parser.pointee.mark))
        default:
            return YAMLError(
                message: "The YAML is malformed\(context): \(problem).", position: position(parser.pointee.problem_mark)
            )
        }
    }

    private static func position(_ mark: yaml_mark_t) -> YAMLPosition {
        YAMLPosition(line: Int(mark.line) + 1, column: Int(mark.column) + 1)
    }
}
