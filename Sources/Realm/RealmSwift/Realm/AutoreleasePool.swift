/// Runs the body. Objects are released by counting their references on Linux, and no pool is needed; code for Apple's
/// systems that makes one runs unchanged.
public func autoreleasepool<Result>(invoking body: () throws -> Result) rethrows -> Result { try body() }
