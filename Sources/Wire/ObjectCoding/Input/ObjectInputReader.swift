import Basics
package import JSONCoding
package import ObjectModel
import StoreContract

/// Parses objects in JSON bodies and files. All errors are 422 and name the property and the location.
package struct ObjectInputReader {
    private let schema: Schema
    /// Whether members are columns of a file, whose names may differ from those of their properties.
    private let readsColumns: Bool
    /// The types of the primary keys of all classes, for files, whose objects are many.
    private let keyTypes: [ClassID: PropertyType]

    /// - Parameter readsColumns: whether the objects are those of a file; see ``ColumnName``.
    package init(schema: Schema, readsColumns: Bool = false) {
        self.schema = schema
        self.readsColumns = readsColumns
        var keyTypes: [ClassID: PropertyType] = [:]
        if readsColumns { for found in schema.classes { keyTypes[found.id] = found.primaryKeyProperty?.type } }
        self.keyTypes = keyTypes
    }

    /// Parses an object.
    package func object(_ json: JSONValue, _ objectClass: ClassSchema) throws(Problem) -> ObjectInput {
        try object(json, schema[objectClass.id] ?? objectClass, at: .root)
    }

    /// Parses an object of a file; as `object(_:_:)`, but names are compared with those of earlier objects first.
    ///
    /// - Parameter objectClass: the class as the reader's schema has it.
    package func object(
        _ object: JSONObject, _ objectClass: ClassSchema, _ order: inout ColumnOrder
    ) throws(Problem) -> ObjectInput {
        var input = ObjectInput(objectClass.id)
        input.values.reserveCapacity(object.members.count)
        // The columns up to the present one; only since one came out of order, because until then none is there twice.
        var found: [ColumnOrder.Column]?
        var expected = 0
        let members = object.members
        for index in members.indices {
            let column: ColumnOrder.Column
            if let position = order.position(of: members[index].name, from: expected) {
                column = order[position]
                expected = position + 1
            } else {
                let name = members[index].name
                guard let known = objectClass.property(ofColumn: name) else {
                    throw unknown(name, objectClass, InputLocation.root.member(name))
                }
                column = ColumnOrder.Column(name: name, property: known)
                if found == nil { found = columns(of: members[..<index], objectClass) }
            }
            if found != nil {
                try checkNew(column.property, column.name, objectClass, input, in: .root)
                found?.append(column)
            }
            try read(members[index].value, column.property, objectClass, &input, in: .root)
        }
        if let found { order.adopt(found) }
        return input
    }

    private func columns(of members: ArraySlice<JSONObject.Member>, _ objectClass: ClassSchema) -> [ColumnOrder.Column]
    {
        members.compactMap { member in
            objectClass.property(ofColumn: member.name).map { ColumnOrder.Column(name: member.name, property: $0) }
        }
    }

    /// Throws if another column has given the property its value.
    private func checkNew(
        _ property: PropertySchema, _ name: String, _ objectClass: ClassSchema, _ input: ObjectInput,
        in location: InputLocation
    ) throws(Problem) {
        guard input.has(property) else { return }
        throw location.member(name).problem(
            "'\(name)' is the property '\(objectClass.name).\(property.name)', which the object has twice.")
    }

    /// Parses one property into an object.
    package func read(
        _ json: JSONValue, _ property: PropertySchema, of objectClass: ClassSchema, into input: inout ObjectInput
    ) throws(Problem) {
        try read(json, property, objectClass, &input, in: .root)
    }

    /// Parses the value of a whole property, one element of a collection, or a value within a mixed one.
    ///
    /// - Parameters:
    ///   - isElement: whether it is one element of the property's collection.
    ///   - name: what messages call the value.
    ///   - path: the location of the value in the document.
    package func content(
        _ json: JSONValue, _ property: PropertySchema, isElement: Bool, called name: String, at path: String
    ) throws(Problem) -> ObjectInput.Content {
        let type = isElement ? PropertyType(property.type.base, isOptional: property.type.isOptional) : property.type
        let location = InputLocation(property: property.name, path: path)
        let draft: ValueDraft<WrittenLink>
        do {
            draft = try ValueCoding.draft(json, as: type)
        } catch {
            throw location.within(error.path).problem(error.sentence(name))
        }
        return try content(draft, property, name, at: location)
    }

    private func object(
        _ json: JSONValue, _ objectClass: ClassSchema, at location: InputLocation
    ) throws(Problem) -> ObjectInput {
        guard case .object(let object) = json else {
            throw location.problem(
                "\(objectClass.name.withCapitalArticle) is written as a JSON object, not as \(json.inWords).")
        }
        var input = ObjectInput(objectClass.id)
        input.values.reserveCapacity(object.members.count)
        // Objects usually name their properties in the order of the class, which saves looking each of them up, and
        // looking whether there are two values for it.
        var isInOrder = true
        let properties = objectClass.properties
        for (position, member) in object.members.enumerated() {
            let property: PropertySchema
            if properties.indices.contains(position), properties[position].name == member.name {
                property = properties[position]
            } else {
                let known = readsColumns ? objectClass.property(ofColumn: member.name) : objectClass[member.name]
                guard let known else { throw unknown(member.name, objectClass, location.member(member.name)) }
                property = known
                isInOrder = false
            }
            if !isInOrder, readsColumns { try checkNew(property, member.name, objectClass, input, in: location) }
            try read(member.value, property, objectClass, &input, in: location)
        }
        return input
    }

    /// - Parameter outer: the location of the object. That of the property is built only when needed, because most
    ///   values are plain and fit.
    private func read(
        _ json: JSONValue, _ property: PropertySchema, _ objectClass: ClassSchema, _ input: inout ObjectInput,
        in outer: InputLocation
    ) throws(Problem) {
        guard !property.type.isComputed else {
            throw outer.member(property.name).problem(
                "'\(objectClass.name).\(property.name)' is computed from links; set '\(property.type.base.name)' there."
            )
        }
        if let key = plainKey(json, property), let target = property.targetClass {
            let link = ObjectInput.Link(
                target: target, reference: .primaryKey(key), location: outer.member(property.name))
            input.drafts.append(ObjectInput.Draft(property: property.id, content: .link(.link(link))))
            return
        }
        let draft: ValueDraft<WrittenLink>
        do {
            draft = try ValueCoding.draft(json, as: property.type)
        } catch {
            throw outer.member(property.name).within(error.path).problem(
                error.sentence("\(objectClass.name).\(property.name)"))
        }
        if let value = draft.complete {
            input.values[property.id] = value
        } else {
            let content = try content(
                draft, property, "\(objectClass.name).\(property.name)", at: outer.member(property.name))
            input.drafts.append(ObjectInput.Draft(property: property.id, content: content))
        }
    }

    private func content(
        _ draft: ValueDraft<WrittenLink>, _ property: PropertySchema, _ name: @autoclosure () -> String,
        at location: InputLocation
    ) throws(Problem) -> ObjectInput.Content {
        try draft.mapLinks { (written) throws(Problem) -> ObjectInput.Target in
            switch written {
            case .plain(let json, let path):
                return try link(json, property, name() + path, at: location.within(path))
            case .typed(let className, let key, let path):
                let inner = location.within(path)
                guard let target = schema[className] else {
                    throw inner.problem(
                        "'\(name())\(path)': there is no class '\(className)'.",
                        hint: schema.classes.map(\.name).nearest(to: className))
                }
                return .reference(try keyed(key, target, name() + path, at: inner))
            }
        }
    }

    // MARK: Links

    /// The key of a link in a file that is written as the number or the text that it is; nil for all other values.
    private func plainKey(_ json: JSONValue, _ property: PropertySchema) -> Value? {
        guard readsColumns, property.type.isLink, property.type.collection == .single, !property.ownsTarget,
            let type = property.targetClass.flatMap({ keyTypes[$0] })
        else { return nil }
        switch (type.base, json) {
        case (.int, .int(let number)): return .int(number)
        case (.string, .string(let text)): return .string(text)
        default: return nil
        }
    }

    /// Parses a key, a `$link` or an object.
    private func link(
        _ json: JSONValue, _ property: PropertySchema, _ name: @autoclosure () -> String, at location: InputLocation
    ) throws(Problem) -> ObjectInput.Target {
        guard let target = property.targetClass.flatMap({ schema[$0] }) else {
            throw location.problem("'\(name())' links to a class that the schema does not have.")
        }
        var form: String { "{\"$link\": {\"class\": \"\(target.name)\", \"key\": …}}" }
        if json["$link"] != nil {
            guard let link = LinkForm(json) else { throw location.problem("'\(name())': write a link as \(form).") }
            guard link.className == target.name else {
                throw location.problem(
                    "'\(name())' links to \(target.name), not to \(link.className).", hint: target.name)
            }
            return .link(try keyed(link.key, target, name(), at: location))
        }
        if case .object(let object) = json, object.members.first?.name.hasPrefix("$") != true {
            let input = try self.object(json, target, at: location)
            // Checked here, because there may be nothing to store it in later.
            if !property.ownsTarget, let key = target.primaryKeyProperty, !key.type.isOptional,
                input.values[key.id] == nil
            {
                throw location.member(key.name).problem(
                    "\(target.name.withCapitalArticle) needs its primary key '\(key.name)'."
                ).with(StoreError.Code.missingValue)
            }
            return property.ownsTarget
                ? .embedded(input)
                : .link(ObjectInput.Link(target: target.id, reference: .object(input), location: location))
        }
        if property.ownsTarget {
            throw location.problem(
                "'\(name())' must be \(target.name.withArticle) as a JSON object, not \(json.inWords).")
        }
        guard target.primaryKey != nil else {
            throw location.problem(
                "'\(name())': \(target.name) has no primary key; write \(form) or the object itself.")
        }
        return .link(try keyed(json, target, name(), at: location))
    }

    private func keyed(
        _ json: JSONValue, _ target: ClassSchema, _ name: @autoclosure () -> String, at location: InputLocation
    ) throws(Problem) -> ObjectInput.Link {
        do {
            let key = try ValueCoding.decode(json, as: target.primaryKeyProperty?.type ?? PropertyType(.int))
            if target.primaryKey == nil, case .int(let number) = key {
                return ObjectInput.Link(target: target.id, reference: .objectKey(ObjectKey(number)), location: location)
            }
            return ObjectInput.Link(target: target.id, reference: .primaryKey(key), location: location)
        } catch {
            var fault = error
            fault.expected = "the key of an object of \(target.name), \(error.expected)"
            throw location.problem(fault.sentence(name()))
        }
    }

    private func unknown(_ given: String, _ objectClass: ClassSchema, _ location: InputLocation) -> Problem {
        location.problem(
            given == "$key"
                ? "'$key' is given by the store and cannot be set."
                : "'\(objectClass.name)' has no property '\(given)'.",
            hint: objectClass.properties.map(\.name).nearest(to: given)
        ).with(StoreError.Code.unknownProperty)
    }
}
