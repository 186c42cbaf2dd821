import Foundation
import StoreContract

/// A misuse for which Realm raises an Objective-C exception, which Swift code cannot catch. The implementation throws
/// it; public functions that cannot throw stop the program with its message.
struct RealmException: Error, CustomStringConvertible {
    let message: String
    var description: String { message }

    init(_ message: String) { self.message = message }
}

/// Replaces the stop of the program on one thread, for tests. The handler is called with the message and must not
/// return.
enum ExceptionTrap {
    typealias Handler = (String) -> Never

    private static let key = "realmgate.exception-trap"

    /// The handler of the calling thread.
    static var handler: Handler? {
        get { (Thread.current.threadDictionary[key] as? Box)?.handler }
        set { Thread.current.threadDictionary[key] = newValue.map { Box(handler: $0) } }
    }

    private final class Box {
        let handler: Handler
        init(handler: @escaping Handler) { self.handler = handler }
    }
}

/// Stops the program. Every public function that cannot throw fails through this function.
func stop(_ error: any Error) -> Never {
    let message = (error as? StoreError)?.message ?? String(describing: error)
    if let handler = ExceptionTrap.handler { handler(message) }
    fatalError(message)
}

/// Returns the body's result. Stops the program if the body throws.
@inline(__always)
func trapOnError<R>(_ body: () throws -> R) -> R {
    do { return try body() } catch { stop(error) }
}
