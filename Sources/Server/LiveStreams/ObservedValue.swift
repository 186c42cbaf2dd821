package import LiveQueries

/// An observed answer that is read as a whole, such as the values of a property: a member of a JSON object.
package struct ObservedValue: Hashable, Sendable {
    /// The name of the member.
    let name: String
    /// What the answer depends on; the first part is about the class or the object in the path.
    var main: WatchedPart
    var others: [WatchedPart]
    private let source: AnyValueSource

    /// - Parameters:
    ///   - source: reads the member's value as JSON; further members may follow it.
    ///   - main: what the answer depends on, in what the path names.
    package init(
        _ name: String, from source: any LiveValueSource, dependingOn main: WatchedPart, _ others: [WatchedPart] = []
    ) {
        self.name = name
        self.main = main
        self.others = others
        self.source = AnyValueSource(source)
    }

    /// What live queries observe.
    var liveValue: LiveValue { LiveValue(source, dependingOn: ([main] + others).map(\.part)) }
}

extension WatchedPart {
    fileprivate var part: LiveValue.Part {
        LiveValue.Part(key.viewID, keyPaths: key.keyPaths, showing: key.shape, extent: extent)
    }
}

extension TopicKey {
    /// The view of the data.
    fileprivate var viewID: LiveViewID {
        switch subject {
        case .objects(let query): .query(query)
        case .sections(let query, let by): .sections(query, by)
        case .aggregate(let subject): .aggregate(subject.aggregate)
        case .value(let subject): .value(subject.liveValue)
        case .elements(let object, let property): .collection(object, property)
        case .object(let object): .object(object)
        }
    }
}
