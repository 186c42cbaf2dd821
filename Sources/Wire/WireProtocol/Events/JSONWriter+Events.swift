package import JSONCoding
package import ObjectModel

/// Writes the parts of events that `SetEvent` reads.
extension JSONWriter {
    /// Writes the version that an event leads to.
    package func member(_ version: Version) {
        name(EventField.version)
        int(version.rawValue)
    }

    /// Writes the subscription of a set that an event concerns.
    package func member(subscription label: String) {
        name(EventField.subscription)
        string(label)
    }

    /// Says that later events of the same version complete this one.
    package func memberOfPart() {
        name(EventField.part)
        bool(true)
    }

    /// Writes a member with an array of positions.
    package func positions(_ name: String, _ positions: [Int]) {
        self.name(name)
        beginArray()
        for position in positions { int(position) }
        endArray()
    }

    /// Writes the positions of an `update`.
    package func positions(deletions: [Int], insertions: [Int], modifications: [Int]) {
        positions(EventField.deletions, deletions)
        positions(EventField.insertions, insertions)
        positions(EventField.modifications, modifications)
    }

    /// Writes the objects of an `update`: each closure writes one value, usually an array in the order of the
    /// positions.
    package func changedObjects(insertions: () throws -> Void, modifications: () throws -> Void) rethrows {
        name(EventField.objects)
        beginObject()
        name(EventField.insertions)
        try insertions()
        name(EventField.modifications)
        try modifications()
        endObject()
    }

    /// Writes the data of `subscriptions`: the labels of the set's subscriptions.
    package func subscriptionList(_ labels: some Sequence<String>) {
        beginObject()
        name(EventField.subscriptions)
        beginArray()
        for label in labels { string(label) }
        endArray()
        endObject()
    }

    /// Writes the data of `barrier`.
    package func barrier(_ token: BarrierToken, at version: Version) {
        beginObject()
        member(version)
        name(EventField.token)
        string(token.text)
        endObject()
    }

    /// Writes the data of `closing`.
    package func closing(code: String) {
        beginObject()
        name(ProblemForm.Field.code)
        string(code)
        name(EventField.reconnect)
        bool(true)
        endObject()
    }
}
