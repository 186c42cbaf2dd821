package import ViewMaintenance
package import LiveQueries
package import ObjectModel
package import StoreContract
import StoreTesting

/// A store of people, and of objects that hold them and plain values in lists, sets and maps.
package struct HolderStore {
    package let store: any Store
    package let live: LiveQueries

    package static let schema = Schema(
        version: 1,
        classes: [
            ClassSchema(
                "Holder",
                properties: [
                    PropertySchema("numbers", PropertyType(.int, collection: .list)),
                    PropertySchema("members", PropertyType(.link("Person"), collection: .list)),
                    PropertySchema("marks", PropertyType(.int, collection: .set)),
                    PropertySchema("friends", PropertyType(.link("Person"), collection: .set)),
                    PropertySchema("prices", PropertyType(.double, collection: .map)),
                    PropertySchema("roles", PropertyType(.link("Person"), isOptional: true, collection: .map)),
                    PropertySchema("anything", PropertyType(.mixed, collection: .list)),
                    PropertySchema("title", PropertyType(.string)),
                ]),
            ClassSchema(
                "Person",
                properties: [
                    PropertySchema("name", PropertyType(.string)),
                    PropertySchema("boss", PropertyType(.link("Person"), isOptional: true)),
                ]),
        ])

    package static let holder = ClassID(1)
    package static let numbers = PropertyID(1)
    package static let members = PropertyID(2)
    package static let marks = PropertyID(3)
    package static let friends = PropertyID(4)
    package static let prices = PropertyID(5)
    package static let roles = PropertyID(6)
    package static let anything = PropertyID(7)
    package static let title = PropertyID(8)
    package static let person = ClassID(2)
    package static let name = PropertyID(1)
    package static let boss = PropertyID(2)

    /// The only holder in a new store.
    package static let owner = ObjectReference(holder, ObjectKey(0))

    package init(_ store: any Store) throws {
        self.store = store
        live = try LiveQueries(store)
    }

    /// Makes a store with a holder of these values.
    package init(_ values: [PropertyID: Value] = [:], people: [String] = []) throws {
        try self.init(ModelStore(Self.schema))
        try store.write { transaction in
            for name in people { _ = try transaction.create(Self.person, [Self.name: .string(name)]) }
            _ = try transaction.create(Self.holder, values)
        }
    }

    package func observe(_ property: PropertyID, _ keyPaths: [String] = []) throws -> (CollectionRecorder, LiveToken) {
        let recorder = CollectionRecorder(Self.owner, property)
        let paths = try keyPaths.map { try LiveKeyPath($0, in: Self.person, of: Self.schema) }
        let token = live.observeCollection(Self.owner, property, keyPaths: paths, deliver: recorder.receive)
        live.settle()
        return (recorder, token)
    }

    package func write(_ work: @escaping @Sendable (any WriteTransaction) throws -> Void) throws {
        try store.write(work)
        live.settle()
    }

    /// Commits several transactions that observers see at once.
    package func writeAtOnce(_ works: [@Sendable (any WriteTransaction) throws -> Void]) throws {
        let gate = Gate()
        let token = live.observeObject(Self.holder, Self.owner.key) { event in
            if case .initial = event {
                gate.arrive()
                gate.wait()
            }
        }
        gate.waitForArrival()
        defer {
            gate.open()
            token.cancel()
            live.settle()
        }
        for work in works { try store.write(work) }
    }
}

extension WriteTransaction {
    /// Edits a collection of the holder.
    package func edit(_ property: PropertyID, _ operations: CollectionOperation...) throws {
        for operation in operations {
            _ = try edit(HolderStore.holder, HolderStore.owner.key, property, operation)
        }
    }

    package func name(_ person: Int64, _ name: String) throws {
        try set(HolderStore.person, ObjectKey(person), [HolderStore.name: .string(name)])
    }

    package func deleteHolder() throws { try delete(HolderStore.holder, HolderStore.owner.key) }
}
