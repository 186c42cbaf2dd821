import Dispatch
import ObjectCoding
import ObjectModel
import RealmSwift
import RequestHandling
import StoreContract

/// Rejects schema changes by clients to classes that the program defines.
struct HostedSchema: SchemaApproval {
    private let realm: HostedRealm
    private let changes: RealmServer.SchemaChanges
    private let queue = DispatchQueue(label: "realmgate.schema")

    init(_ realm: HostedRealm, _ changes: RealmServer.SchemaChanges) {
        self.realm = realm
        self.changes = changes
    }

    func refusal(from present: ObjectModel.Schema, to wanted: ObjectModel.Schema) -> Problem? {
        refusal(from: present, to: wanted, realm.classNames)
    }

    private func refusal(from present: ObjectModel.Schema, to wanted: ObjectModel.Schema, _ names: Set<String>)
        -> Problem?
    {
        guard case .otherClasses = changes else {
            return Problem(
                .schemaFixed,
                "The classes are those of the program that this server runs in; they change with the program.")
        }
        guard present.version == wanted.version else {
            return Problem(
                .schemaFixed,
                "The schema version is the program's: send \(present.version). Only classes that the program does not define can change here."
            )
        }
        let touched = Set(
            SchemaDifference(from: present, to: wanted).changes.map(\.className).filter(names.contains))
        guard !touched.isEmpty else { return nil }
        return Problem(
            .schemaFixed,
            "The program that this server runs in defines \(touched.sorted().joined(separator: ", ")): send "
                + "\(touched.count == 1 ? "it" : "them") as GET /v1/schema has \(touched.count == 1 ? "it" : "them").")
    }

    func replaceSchema(
        with schema: ObjectModel.Schema, migration: StoreContract.Migration,
        completion: @escaping @Sendable (Result<Version, any Error>) -> Void
    ) {
        queue.async {
            completion(
                Result {
                    try realm.replaceSchema(with: schema, migration: migration) { present, names in
                        let isSame =
                            present.version == schema.version && SchemaDifference(from: present, to: schema).isEmpty
                        if !isSame, let refusal = refusal(from: present, to: schema, names) { throw refusal }
                    }
                })
        }
    }
}
