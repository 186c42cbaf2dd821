import HTTPProblems
import JSONCoding
import ObjectCoding
import ObjectModel
import RequestHandling
import StoreContract
import WriteRequests

/// The objects in the array of a body, checked before the write.
///
/// The memory that a request has for the values in its body is used once. New objects are kept as values until they are
/// written, and leave hardly more than a range of keys in the change set. Objects that may exist leave an edit of each,
/// which takes as much as their values: of a long body they are read again from the text, one by one, while they are
/// written.
struct GivenRows: Sendable {
    private enum Content: Sendable {
        case values([ObjectInput])
        case text(JSONLongArray, ObjectInputReader, ClassSchema)
    }

    private let content: Content

    /// Throws the problem of the first object that is not valid.
    init(
        _ body: JSONValue, _ reader: ObjectInputReader, _ objectClass: ClassSchema, _ policy: UpdatePolicy
    ) throws {
        if case .long(let text) = body, policy != .error {
            content = .text(text, reader, objectClass)
            try forEach { _ in }
            return
        }
        var inputs: [ObjectInput] = []
        try Self.locating { index in
            try body.forEachElement {
                inputs.append(try reader.object($0, objectClass))
                index += 1
            }
        }
        content = .values(inputs)
    }

    /// Calls the body with each object, in order. Its problems name the object.
    func forEach(_ body: (ObjectInput) throws -> Void) throws {
        try Self.locating { index in
            switch content {
            case .values(let inputs):
                for input in inputs {
                    try body(input)
                    index += 1
                }
            case .text(let text, let reader, let objectClass):
                try text.forEach {
                    try body(try reader.object($0, objectClass))
                    index += 1
                }
            }
        }
    }

    /// - Parameter work: counts the objects that are done.
    private static func locating(_ work: (inout Int) throws -> Void) throws {
        var index = 0
        do {
            try work(&index)
        } catch let error as JSONError {
            throw Problem(error)
        } catch {
            throw (Problem(of: error)?.inElement(index)).map { $0 as any Error } ?? error
        }
    }
}
