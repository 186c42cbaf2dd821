import YAMLCoding
import Testing
