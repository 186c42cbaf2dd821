/// Runs the body. Swift on Linux uses reference counting only, so no pool is created; the function lets code written
/// for Apple's platforms compile unchanged.
public func autoreleasepool<Result>(invoking body: () throws -> Result) rethrows -> Result { try body() }
