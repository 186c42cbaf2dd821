import Foundation
import ObjectModel

extension BaseType {
    /// Calls the visitor with the Swift type of this base type's values; objects are dynamic.
    func visit(_ visitor: some BaseTypeVisitor) throws -> Any {
        switch self {
        case .bool: try visitor.visit(Bool.self)
        case .int: try visitor.visit(Int.self)
        case .float: try visitor.visit(Float.self)
        case .double: try visitor.visit(Double.self)
        case .string: try visitor.visit(String.self)
        case .data: try visitor.visit(Data.self)
        case .date: try visitor.visit(Date.self)
        case .decimal128: try visitor.visit(Decimal128.self)
        case .objectId: try visitor.visit(ObjectId.self)
        case .uuid: try visitor.visit(UUID.self)
        case .link, .linkingObjects: try visitor.visit(DynamicObject.self)
        case .mixed: try visitor.visitMixed()
        }
    }
}
