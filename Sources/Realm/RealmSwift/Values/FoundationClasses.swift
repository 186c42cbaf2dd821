public import Foundation

// Classes of Foundation that aggregates can be asked for, though properties cannot have them.

extension NSNumber: _HasPersistedType, MinMaxType, AddableType {
    public typealias PersistedType = NSNumber

    public static func _noSum() -> Self { self.init(integerLiteral: 0) }
}

extension NSDate: _HasPersistedType, MinMaxType {
    public typealias PersistedType = NSDate
}
