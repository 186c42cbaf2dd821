public import Foundation

// Foundation classes that aggregates can return, though properties cannot have these types.

extension NSNumber: _HasPersistedType, MinMaxType, AddableType {
    public typealias PersistedType = NSNumber

    public static func _noSum() -> Self { self.init(integerLiteral: 0) }
}

extension NSDate: _HasPersistedType, MinMaxType {
    public typealias PersistedType = NSDate
}
