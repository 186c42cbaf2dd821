public import Foundation

// What iOS code writes behind a format string as `date as CVarArg`, since there Objective-C bridges the values. Formats of
// predicates take the values themselves; `String(format:)` prints them with `%@`, through an object that stays in memory.

extension Date: @retroactive CVarArg {
    public var _cVarArgEncoding: [Int] { encoding(self as Any as? NSObject, self) }
}

extension UUID: @retroactive CVarArg {
    public var _cVarArgEncoding: [Int] { encoding(nil, uuidString) }
}

extension Data: @retroactive CVarArg {
    public var _cVarArgEncoding: [Int] { encoding(self as Any as? NSObject, self) }
}

extension ObjectId: CVarArg {
    public var _cVarArgEncoding: [Int] { encoding(nil, self) }
}

extension Decimal128: CVarArg {
    public var _cVarArgEncoding: [Int] { encoding(nil, self) }
}

extension ObjectBase: CVarArg {
    public var _cVarArgEncoding: [Int] { encoding(nil, self) }
}

extension RLMGeospatial {
    public var _cVarArgEncoding: [Int] { encoding(nil, self) }
}

extension GeoBox: CVarArg {}
extension GeoPolygon: CVarArg {}
extension GeoCircle: CVarArg {}

/// The address of Foundation's object for a value, or else of its text.
private func encoding(_ object: NSObject?, _ value: Any) -> [Int] {
    let object = object ?? NSString(string: "\(value)")
    return [Int(bitPattern: Unmanaged.passRetained(object).toOpaque())]
}
