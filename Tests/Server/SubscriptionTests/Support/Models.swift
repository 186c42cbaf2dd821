import Foundation
import RealmSwift

class SubOwner: Object {
    @Persisted(primaryKey: true) var handle = ""
    @Persisted var city: String?
    @Persisted(originProperty: "owner") var dogs: LinkingObjects<SubDog>
}

class SubChip: EmbeddedObject {
    @Persisted var code = ""
    @Persisted var scans: List<Int>
}

class SubDog: Object {
    @Persisted(primaryKey: true) var _id = 0
    @Persisted var name = ""
    @Persisted var age: Int?
    @Persisted var weight = 0.0
    @Persisted var born = Date(timeIntervalSince1970: 0)
    @Persisted var price: Decimal128?
    @Persisted var tag: UUID?
    @Persisted var picture: Data?
    @Persisted var extra: AnyRealmValue
    @Persisted var owner: SubOwner?
    @Persisted var friends: List<SubDog>
    @Persisted var names: List<String>
    @Persisted var marks: MutableSet<Int>
    @Persisted var rates: Map<String, Double>
    @Persisted var chip: SubChip?
    @Persisted var chips: List<SubChip>
}

class SubPlain: Object {
    @Persisted var text = ""
}

enum SubModels {
    static let all: [ObjectBase.Type] = [SubOwner.self, SubDog.self, SubChip.self]

    static let schema = #"""
        {"schemaVersion":1,"classes":[
          {"name":"SubOwner","primaryKey":"handle","embedded":false,"properties":[
            {"name":"handle","type":"string"},{"name":"city","type":"string?"},
            {"name":"dogs","type":"linkingObjects(SubDog.owner)"}]},
          {"name":"SubChip","embedded":true,"properties":[
            {"name":"code","type":"string"},{"name":"scans","type":"int[]"}]},
          {"name":"SubDog","primaryKey":"_id","embedded":false,"properties":[
            {"name":"_id","type":"int"},{"name":"name","type":"string"},{"name":"age","type":"int?"},
            {"name":"weight","type":"double"},{"name":"born","type":"date"},{"name":"price","type":"decimal128?"},
            {"name":"tag","type":"uuid?"},{"name":"picture","type":"data?"},{"name":"extra","type":"mixed"},
            {"name":"owner","type":"SubOwner?"},{"name":"friends","type":"SubDog[]"},{"name":"names","type":"string[]"},
            {"name":"marks","type":"int<>"},{"name":"rates","type":"double{}"},{"name":"chip","type":"SubChip?"},
            {"name":"chips","type":"SubChip[]"},{"name":"secret","type":"string?"}]}]}
        """#
}
