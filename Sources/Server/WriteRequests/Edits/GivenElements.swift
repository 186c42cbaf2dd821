import HTTPProblems
import JSONCoding
package import ObjectCoding
import ObjectModel

/// The elements that an edit inserts. A body may have millions of values without links, which take less than half of the
/// memory of others here.
package struct GivenElements: RandomAccessCollection, Sendable {
    private var values: [Value] = []
    /// The elements, if any of them has a link.
    private var others: [ObjectInput.Content]?

    package init() {}

    package init(_ one: ObjectInput.Content) { append(one) }

    /// Reads the elements of an array, also of one that stays text.
    ///
    /// - Parameter read: reads the element at an index.
    init(_ array: JSONValue, _ read: (JSONValue, Int) throws(Problem) -> ObjectInput.Content) throws(Problem) {
        do {
            try array.forEachElement { append(try read($0, count)) }
        } catch let problem as Problem {
            throw problem
        } catch let error as JSONError {
            throw Problem(error)
        } catch {
            throw .internalError
        }
    }

    package var startIndex: Int { 0 }
    package var endIndex: Int { others?.count ?? values.count }
    package subscript(index: Int) -> ObjectInput.Content { others.map { $0[index] } ?? .value(values[index]) }

    private mutating func append(_ element: ObjectInput.Content) {
        if others == nil {
            if let value = element.complete { return values.append(value) }
            others = values.map { .value($0) }
            values = []
        }
        others?.append(element)
    }
}
