import CDiscovery
import ObjectModel
import Synchronization

/// Finds the program's model classes in the compiler's type metadata, so that no registration is needed.
enum TypeDiscovery {
    /// Returns the models of all classes except this module's own, ordered by name, including those of images loaded
    /// later. Cost: one pass over the program's types. Throws for classes that cannot be stored.
    static func models() throws -> [ClassModel] {
        let own: Set<ObjectIdentifier> = [
            ObjectIdentifier(Object.self), ObjectIdentifier(EmbeddedObject.self), ObjectIdentifier(DynamicObject.self),
            ObjectIdentifier(AsymmetricObject.self),
        ]
        return try classes().filter { !own.contains(ObjectIdentifier($0)) && $0.shouldIncludeInDefaultSchema() }.map {
            try ClassModel.of($0)
        }
        .sorted { $0.name < $1.name }
    }

    /// Returns the names of all model classes with their modules and the types around them. Cost: as `models`.
    static func qualifiedNames() -> Set<String> { Set(classes().map { String(reflecting: $0) }) }

    private static func classes() -> [ObjectBase.Type] {
        final class Found { var classes: [ObjectBase.Type] = [] }
        let found = Found()
        realmgate_for_each_class(
            unsafeBitCast(ObjectBase.self, to: UnsafeRawPointer.self),
            { metadata, context in
                guard let metadata, let context else { return }
                // A metatype is the address of the class's metadata.
                let type = unsafeBitCast(metadata, to: ObjectBase.Type.self)
                Unmanaged<Found>.fromOpaque(context).takeUnretainedValue().classes.append(type)
            }, Unmanaged.passUnretained(found).toOpaque())
        return withExtendedLifetime(found) { found.classes }
    }
}
