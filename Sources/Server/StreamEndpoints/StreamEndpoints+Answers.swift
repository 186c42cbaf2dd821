import HTTPMessages
import HTTPProblems
package import HTTPServer
import LiveQueries
import LiveStreams
import ObjectCoding
import ObjectModel
import ReadEndpoints
import RequestHandling
import RequestParameters
import StoreContract
import WireProtocol
import WriteRequests

/// Streams of answers that are read as a whole, and again when something changes that they depend on.
extension StreamEndpoints {
    /// Observes values of a class's objects.
    package func observeValues(_ request: Request, _ path: PathParameters) throws -> Reply {
        try events(request) { [self] in try valuesKey($0, path, $1) }
    }

    /// Observes values of the objects that a property holds, or its plain values. The stream ends when the path leads
    /// to another target.
    package func observePropertyValues(_ request: Request, _ path: PathParameters) throws -> Reply {
        try propertyEvents(request, path, key: propertyValuesKey)
    }

    /// Observes the position of an object of a class.
    package func observeIndex(_ request: Request, _ path: PathParameters) throws -> Reply {
        try events(request) { [self] in try indexKey($0, path, $1) }
    }

    /// Observes the position of an object or value that a property holds. The stream ends when the path leads to
    /// another target.
    package func observePropertyIndex(_ request: Request, _ path: PathParameters) throws -> Reply {
        try propertyEvents(request, path, key: propertyIndexKey)
    }

    func valuesKey(_ request: Request, _ path: PathParameters, _ snapshot: any Snapshot) throws -> TopicKey {
        try valuesKey(request, try CollectionTarget(class: path, snapshot))
    }

    func propertyValuesKey(_ request: Request, _ path: PathParameters, _ snapshot: any Snapshot) throws -> TopicKey {
        let property = try PropertyCollection(path, snapshot)
        if let collection = try CollectionTarget(property) { return try valuesKey(request, collection) }
        let parameters = try QueryParameters(
            request, single: ReadEndpoints.valuesParameters + [ParameterName.lastEventID])
        let read = try reads.elementValuesRead(parameters, property, .unlimited)
        return try key(observing: read.name, read, ReadDependence(elementsOf: property))
    }

    private func valuesKey(_ request: Request, _ collection: CollectionTarget) throws -> TopicKey {
        let parameters = try QueryParameters(
            request, single: ReadEndpoints.valuesParameters + [ParameterName.lastEventID])
        let read = try reads.valuesRead(parameters, collection)
        return try key(observing: read.name, read, read.dependence(in: collection))
    }

    func indexKey(_ request: Request, _ path: PathParameters, _ snapshot: any Snapshot) throws -> TopicKey {
        try indexKey(request, try CollectionTarget(class: path, snapshot))
    }

    func propertyIndexKey(_ request: Request, _ path: PathParameters, _ snapshot: any Snapshot) throws -> TopicKey {
        let property = try PropertyCollection(path, snapshot)
        if let collection = try CollectionTarget(property) { return try indexKey(request, collection) }
        let parameters = try QueryParameters(
            request, single: ReadEndpoints.indexParameters + [ParameterName.lastEventID])
        let read = try reads.elementIndexRead(parameters, property, .unlimited)
        return try key(observing: IndexRead.name, read, ReadDependence(elementsOf: property))
    }

    private func indexKey(_ request: Request, _ collection: CollectionTarget) throws -> TopicKey {
        let parameters = try QueryParameters(
            request, single: ReadEndpoints.indexParameters + [ParameterName.lastEventID])
        let read = try reads.indexRead(parameters, collection)
        return try key(observing: IndexRead.name, read, read.dependence(in: collection))
    }

    /// - Parameter dependence: what the answer depends on, as of a read that waits for its change.
    func key(
        observing name: String, _ source: any LiveValueSource, _ dependence: ReadDependence
    ) throws(Problem) -> TopicKey {
        guard let main = dependence.parts.first else { throw .internalError }
        let subject = ObservedValue(name, from: source, dependingOn: main, Array(dependence.parts.dropFirst()))
        return TopicKey(subject: .value(subject), hopQueries: main.key.hopQueries)
    }
}
