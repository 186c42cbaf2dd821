/// A schema of dogs and their owners, as a file, with every kind of property that a column of a file can have.
package enum DogSchema {
    package static let text = """
        {"schemaVersion": 1, "classes": [
          {"name": "Person", "primaryKey": "id", "properties": [
            {"name": "id", "type": "int"}, {"name": "name", "type": "string"},
            {"name": "dogs", "type": "linkingObjects(Dog.owner)"}]},
          {"name": "Dog", "primaryKey": "id", "properties": [
            {"name": "id", "type": "int"}, {"name": "name", "type": "string", "indexed": true},
            {"name": "age", "type": "int?"}, {"name": "weight", "type": "double"}, {"name": "born", "type": "date?"},
            {"name": "good", "type": "bool"}, {"name": "chip", "type": "uuid?"}, {"name": "tag", "type": "objectId?"},
            {"name": "size", "type": "float"}, {"name": "owner", "type": "Person?"}]}]}
        """
}
