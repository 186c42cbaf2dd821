package import JSONCoding

/// YAML documents, of which JSON is a part, as JSON values.
package enum YAML {}
