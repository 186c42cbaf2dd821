package import JSONCoding
package import ObjectModel

/// How the parts of events are written; `SetEvent` reads them.
extension JSONWriter {
    /// The version that an event leads to.
    package func member(_ version: Version) {
        name(EventField.version)
        int(version.rawValue)
    }

    /// Which subscription of a set an event is about.
    package func member(subscription label: String) {
        name(EventField.subscription)
        string(label)
    }

    /// A member with an array of positions.
    package func positions(_ name: String, _ positions: [Int]) {
        self.name(name)
        beginArray()
        for position in positions { int(position) }
        endArray()
    }

    /// The positions of an `update`.
    package func positions(deletions: [Int], insertions: [Int], modifications: [Int]) {
        positions(EventField.deletions, deletions)
        positions(EventField.insertions, insertions)
        positions(EventField.modifications, modifications)
    }

    /// The objects of an `update`: each closure writes a value, as a rule an array, in the order of the positions.
    package func changedObjects(insertions: () throws -> Void, modifications: () throws -> Void) rethrows {
        name(EventField.objects)
        beginObject()
        name(EventField.insertions)
        try insertions()
        name(EventField.modifications)
        try modifications()
        endObject()
    }

    /// The data of `subscriptions`: what clients call those that there are.
    package func subscriptionList(_ labels: some Sequence<String>) {
        beginObject()
        name(EventField.subscriptions)
        beginArray()
        for label in labels { string(label) }
        endArray()
        endObject()
    }

    /// The data of `barrier`.
    package func barrier(_ token: BarrierToken, at version: Version) {
        beginObject()
        member(version)
        name(EventField.token)
        string(token.text)
        endObject()
    }

    /// The data of `closing`.
    package func closing(code: String) {
        beginObject()
        name(ProblemForm.Field.code)
        string(code)
        name(EventField.reconnect)
        bool(true)
        endObject()
    }
}
