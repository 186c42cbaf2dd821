import HTTPMessages
package import HTTPServer
import JSONCoding
import LiveStreams
package import ObjectCoding
import ObjectModel
import QueryLanguage
import RequestHandling
package import RequestParameters
package import StoreContract
import WireProtocol

extension ReadEndpoints {
    /// Returns the result of a key-value coding path for the objects of a class.
    package func getValues(_ request: Request, _ path: PathParameters) throws -> Reply {
        try getValues(request, try CollectionTarget(class: path, try readSnapshot(for: request)))
    }

    /// Returns the result of a key-value coding path for one object's property.
    package func getPropertyValues(_ request: Request, _ path: PathParameters) throws -> Reply {
        let property = try PropertyCollection(path, try readSnapshot(for: request))
        guard let collection = try CollectionTarget(property) else { return try getElementValues(request, property) }
        return try getValues(request, collection)
    }

    /// The parameters of the values of objects, and of plain values.
    package static let valuesParameters = QueryReader.parameters + ["key", "keyPath", "limit", "offset", "types"]

    private func getValues(_ request: Request, _ collection: CollectionTarget) throws -> Reply {
        let parameters = try QueryParameters(request, single: Self.valuesParameters + [ParameterName.snapshot])
        let (snapshot, read) = (collection.snapshot, try valuesRead(parameters, collection))
        let unchanged = try notModified(request, snapshot) { read.dependence(in: collection) }
        if let unchanged { return .now(unchanged) }
        return try context.reply(
            reading: collection.size, from: collection.counted, for: request,
            asking: AskedQuery(read.query, read.window, of: snapshot)
        ) { try read.response(of: snapshot) }
    }

    /// Parses a request for values of objects.
    package func valuesRead(_ parameters: QueryParameters, _ collection: CollectionTarget) throws(Problem) -> ValuesRead
    {
        let (schema, objectClass) = (collection.snapshot.schema, collection.objectClass)
        let style = try parameters.choice("types", default: TypeStyle.plain)
        var query = try collection.reader(context.settings.now).query(parameters, objectClass, in: collection.scope)
        let window = Window(
            offset: try parameters.integer("offset", in: 0...Int.max) ?? 0,
            limit: try parameters.integer("limit", in: 0...context.settings.now.maximumObserved))
        let asked = try Self.keyPath(parameters)
        var read = ValuesForm(objectClass, schema, style)
        switch asked.operation {
        case nil:
            read.result = .each(
                try KeyValuePath(
                    asked.path, objectClass, schema, style: style, isOwned: collection.isOwned,
                    parameter: asked.parameter))
        case .union(let distinct): try read.union(asked.path, distinct, collection.reader(context.settings.now))
        case .arrays(let distinct): try read.arrays(asked.path, distinct)
        case .count, .aggregate:
            guard window.offset == 0 else {
                throw Problem(
                    .parameterInvalid, "'offset' has no meaning for one value. Leave it out.",
                    parameter: "offset")
            }
            if let limit = window.limit { query.steps.append(.limit(limit)) }
            if case .aggregate(let function)? = asked.operation {
                let request = try collection.reader(context.settings.now).aggregate(
                    function, asked.path, objectClass, in: "keyPath")
                read.isMixed = request.path.givesMixed && (function == .minimum || function == .maximum)
                read.result = .aggregate(request)
            }
        }
        return ValuesRead(
            query: query, window: window, result: read.result, path: asked.path, plan: read.plan,
            form: read.plan.form(schema), isMixed: read.isMixed, style: style,
            limit: context.settings.now.maximumObserved,
            answerBytes: context.settings.now.answerBytes)
    }

    /// Returns the values of a list, set or map, whose only key is `self`.
    private func getElementValues(_ request: Request, _ property: PropertyCollection) throws -> Reply {
        let parameters = try QueryParameters(request, single: Self.valuesParameters + [ParameterName.snapshot])
        let budget = context.queryBudget(for: request)
        let (snapshot, read) = (property.snapshot, try elementValuesRead(parameters, property, budget))
        let unchanged = try notModified(request, snapshot) { ReadDependence(elementsOf: property) }
        if let unchanged { return .now(unchanged) }
        return try context.reply(reading: try property.elementCount, for: request) {
            let json = JSONWriter(capacity: 128)
            json.beginObject()
            json.name("version")
            json.int(snapshot.version.rawValue)
            json.name(read.name)
            try read.write(snapshot, budget, into: json)
            json.endObject()
            return .json(json, of: snapshot)
        }
    }

    /// Parses a request for plain values.
    package func elementValuesRead(
        _ parameters: QueryParameters, _ property: PropertyCollection, _ budget: QueryBudget
    ) throws(Problem) -> ElementValuesRead {
        let asked = try Self.keyPath(parameters)
        let name = "'\(property.holderClass.name).\(property.schema.name)'"
        let isAll = asked.operation == nil && asked.path == "self"
        guard isAll || asked.operation == .count else {
            throw Problem(
                .parameterInvalid,
                "\(name) contains plain values, which have only the key 'self' and the operator '@count'. Minimum, maximum, sum and average are at /v1/aggregates.",
                parameter: asked.parameter, property: property.schema.name, hint: "self")
        }
        let style = try parameters.choice("types", default: TypeStyle.plain)
        let offset = try parameters.integer("offset", in: 0...Int.max) ?? 0
        let limit = try parameters.integer("limit", in: 0...context.settings.now.maximumObserved)
        let read = try ElementRead(property, parameters, context.settings.now, budget)
        return ElementValuesRead(
            selection: read.selection, counts: !isAll, offset: offset, length: limit,
            limit: context.settings.now.maximumObserved, answerBytes: context.settings.now.answerBytes,
            writing: ElementWriting(plan: read.plan(style)))
    }

    /// Parses `key` or `keyPath`. Throws 400 if neither or both are given.
    private static func keyPath(
        _ parameters: QueryParameters
    ) throws(Problem) -> (operation: KeyValueOperation?, path: String, parameter: String) {
        switch (parameters["key"], parameters["keyPath"]) {
        case (let key?, nil):
            guard !key.contains("."), !key.hasPrefix("@") else {
                throw Problem(
                    .parameterInvalid, "'key' is the name of one property. Give '\(key)' as 'keyPath'.",
                    parameter: "key")
            }
            return (nil, key, "key")
        case (nil, let path?):
            let split = try KeyValueOperation.split(path)
            return (split.operation, split.path, "keyPath")
        default:
            throw Problem(
                .parameterMissing,
                "Give either 'key', the name of a property, or 'keyPath', such as owner.city or @max.age.",
                parameter: "key")
        }
    }
}

/// Collects the meaning of a request for values.
private struct ValuesForm {
    let objectClass: ClassSchema
    let schema: Schema
    let style: TypeStyle
    var result = ValuesRead.Result.count
    var plan: RowPlan
    var isMixed = false

    init(_ objectClass: ClassSchema, _ schema: Schema, _ style: TypeStyle) {
        self.objectClass = objectClass
        self.schema = schema
        self.style = style
        plan = RowPlan(objectClass, of: schema, properties: [], style: style)
    }

    /// Adds the values of one path without nulls. A link as the last name gives the target objects.
    mutating func union(_ text: String, _ distinct: Bool, _ reader: QueryReader) throws(Problem) {
        if let property = objectClass[text], property.type.isLink, !property.type.isCollection,
            !property.type.isComputed, let target = property.targetClass
        {
            plan = RowPlan(objectClass, of: schema, properties: [property], style: style)
            let path = BoundPath(links: [.forward(property.id, target: target)], end: .object(target))
            result = .union(property: .path(SortKey(path, ascending: true)), distinct: distinct)
            return
        }
        let path = try reader.path(text, objectClass, in: "keyPath")
        isMixed = path.givesMixed
        result = .union(property: .path(SortKey(path, ascending: true)), distinct: distinct)
    }

    /// Adds the elements of one property of each object.
    mutating func arrays(_ text: String, _ distinct: Bool) throws(Problem) {
        let property = try objectClass.named(text, parameter: "keyPath")
        guard property.type.isCollection else {
            throw Problem(
                .parameterInvalid,
                "'\(objectClass.name).\(text)' is not a list, set or map. Use @unionOfObjects.\(text).",
                parameter: "keyPath", property: text)
        }
        plan = RowPlan(objectClass, of: schema, properties: [property], style: style)
        isMixed = property.type.isMixed
        result = .union(property: .elements(property.id), distinct: distinct)
    }
}
