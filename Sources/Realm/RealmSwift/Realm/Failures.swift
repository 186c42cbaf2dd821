import Foundation
import StoreContract

/// Misuse that Realm answers with an exception of Objective-C, which Swift code cannot catch: here the layer that does
/// the work throws it, and the public functions that cannot throw stop the program with its message.
struct RealmException: Error, CustomStringConvertible {
    let message: String
    var description: String { message }

    init(_ message: String) { self.message = message }
}

/// What is done with a message instead of stopping the program, on one thread: for tests. It must not return.
enum ExceptionTrap {
    typealias Handler = (String) -> Never

    private static let key = "realmgate.exception-trap"

    /// The calling thread's.
    static var handler: Handler? {
        get { (Thread.current.threadDictionary[key] as? Box)?.handler }
        set { Thread.current.threadDictionary[key] = newValue.map { Box(handler: $0) } }
    }

    private final class Box {
        let handler: Handler
        init(handler: @escaping Handler) { self.handler = handler }
    }
}

/// The one way in which a public function that cannot throw fails.
func stop(_ error: any Error) -> Never {
    let message = (error as? StoreError)?.message ?? String(describing: error)
    if let handler = ExceptionTrap.handler { handler(message) }
    fatalError(message)
}

/// The body's result; stops the program when it throws.
@inline(__always)
func raising<R>(_ body: () throws -> R) -> R {
    do { return try body() } catch { stop(error) }
}
