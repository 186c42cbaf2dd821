package import StoreContract

extension StoreConformance {
    /// A part of the contract, by name.
    package struct Topic: Sendable, CustomStringConvertible {
        package let name: String
        package let run: @Sendable (Maker) throws -> Void

        package init(_ name: String, _ run: @escaping @Sendable (Maker) throws -> Void) {
            self.name = name
            self.run = run
        }

        package var description: String { name }
    }

    /// The requirements for writes that threads hold open.
    package static func interactiveTopics(seed: @escaping @Sendable (String) -> UInt64) -> [Topic] {
        [
            Topic("interactive writes") { try interactiveWrites($0) },
            Topic("nested writes") { try nestedWrites($0) },
            Topic("alone in a commit") { try aloneInCommit($0) },
            Topic("interleaved writes") { try interleavedWrites($0, seed: seed("interleaved writes")) },
        ]
    }

    /// The requirements for requesting versions again, and for their names.
    package static func versionTopics(seed: @escaping @Sendable (String) -> UInt64) -> [Topic] {
        [
            Topic("versions again") { try versionsAgain($0) },
            Topic("marks") { try marks($0, seed: seed("marks")) },
        ]
    }

    /// The requirements for every kind of data. Random topics take their seed from `seed`.
    package static func dataModelTopics(seed: @escaping @Sendable (String) -> UInt64) -> [Topic] {
        [
            Topic("every type") { try everyType($0, seed: seed("every type")) },
            Topic("wrong types") { try wrongTypes($0) },
            Topic("lists") { try lists($0) },
            Topic("long lists") { try longLists($0, seed: seed("long lists")) },
            Topic("sets") { try sets($0) },
            Topic("maps") { try maps($0) },
            Topic("limits") { try limits($0) },
            Topic("embedded objects") { try embedded($0) },
            Topic("refusals of embedded objects") { try embeddedRefusals($0) },
            Topic("cascading deletion") { try cascades($0) },
            Topic("links to deleted objects") { try linksToDeleted($0) },
            Topic("cancelled writes") { try cancelledWrites($0) },
            Topic("frozen collections") { try frozenCollections($0) },
            Topic("update policies") { try policies($0) },
            Topic("collections given as a whole") { try changing($0, seed: seed("collections given as a whole")) },
            Topic("records beside objects") { try records($0) },
            Topic("deleting many") { try deletingMany($0, seed: seed("deleting many")) },
            Topic("migrations without steps") { try migrationsWithoutSteps($0) },
            Topic("steps of migrations") { try migrationSteps($0) },
            Topic("blocks of migrations") { try migrationBlocks($0) },
            Topic("failed migrations") { try failedMigrations($0) },
            Topic("objects that come with their classes") { try addedObjects($0) },
        ]
    }
}
