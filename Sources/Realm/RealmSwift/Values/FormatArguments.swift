public import Foundation

// On Apple's platforms, code passes values to format strings as `date as CVarArg`, because Objective-C bridges them.
// Predicate formats receive the values themselves; `String(format:)` prints them with `%@`, through an object that is
// never released.

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

/// Returns the address of the Foundation object for a value, or of its description.
private func encoding(_ object: NSObject?, _ value: Any) -> [Int] {
    let object = object ?? NSString(string: "\(value)")
    return [Int(bitPattern: Unmanaged.passRetained(object).toOpaque())]
}
