package import JSONCoding
import ObjectCoding
import ObjectModel

extension ClassProposal {
    /// Writes the response of `POST /v1/schema/inference`.
    package func encode(into writer: JSONWriter) {
        writer.beginObject()
        writer.name("classes")
        writer.beginArray()
        for objectClass in classes { SchemaCoding.encode(objectClass, into: writer) }
        writer.endArray()
        writer.name("format")
        writer.string(format.rawValue)
        writer.name("rows")
        writer.int(rows)
        writer.name("whole")
        writer.bool(isWhole)
        writer.name("properties")
        writer.beginArray()
        for finding in properties { Self.encode(finding, into: writer) }
        writer.endArray()
        writer.name("primaryKey")
        writer.beginObject()
        writer.name("property")
        if let property = key.property { writer.string(property) } else { writer.null() }
        writer.name("reason")
        writer.string(key.reason)
        writer.name("candidates")
        writer.beginArray()
        for candidate in key.candidates { writer.string(candidate) }
        writer.endArray()
        writer.endObject()
        writer.name("refused")
        writer.int(refused)
        writer.lines(faults)
        writer.endObject()
    }

    private static func encode(_ finding: PropertyFinding, into writer: JSONWriter) {
        writer.beginObject()
        writer.name("class")
        writer.string(finding.className)
        writer.name("name")
        writer.string(finding.name)
        writer.name("column")
        writer.string(finding.column)
        writer.name("type")
        writer.string(finding.type.description)
        writer.name("reason")
        writer.string(finding.clauses)
        writer.name("rows")
        writer.int(finding.rows)
        writer.name("missing")
        writer.int(finding.missing)
        writer.name("examples")
        writer.beginArray()
        for example in finding.examples { encode(example, into: writer) }
        writer.endArray()
        writer.name("misfits")
        writer.int(finding.misfits)
        if let first = finding.firstMisfit {
            writer.name("firstMisfit")
            encode(first, into: writer)
        }
        writer.endObject()
    }

    private static func encode(_ example: ValueExample, into writer: JSONWriter) {
        writer.beginObject()
        writer.name("line")
        writer.int(example.line)
        writer.name("value")
        writer.string(example.text)
        writer.endObject()
    }
}
