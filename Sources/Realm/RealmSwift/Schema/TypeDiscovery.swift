import CDiscovery
import ObjectModel
import Synchronization

/// The model classes of the program, found in what the compiler says of its types: no registration is needed.
enum TypeDiscovery {
    /// All of them but the module's own, those of images that were loaded later too, ordered by name. Cost: a pass over
    /// the program's types. Throws for classes that cannot be stored.
    static func models() throws -> [ClassModel] {
        let own: Set<ObjectIdentifier> = [
            ObjectIdentifier(Object.self), ObjectIdentifier(EmbeddedObject.self), ObjectIdentifier(DynamicObject.self),
        ]
        return try classes().filter { !own.contains(ObjectIdentifier($0)) && $0.shouldIncludeInDefaultSchema() }.map {
            try ClassModel.of($0)
        }
        .sorted { $0.name < $1.name }
    }

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
