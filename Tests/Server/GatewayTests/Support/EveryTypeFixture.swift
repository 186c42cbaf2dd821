/// A schema with every kind of property.
enum EveryTypeFixture {
    static let schema = #"""
        {"schemaVersion":1,"classes":[
          {"name":"Book","primaryKey":"id","properties":[
            {"name":"id","type":"int"},{"name":"cover","type":"data"},{"name":"stamp","type":"data?"},
            {"name":"price","type":"decimal128"},{"name":"fee","type":"decimal128?","default":"1.10"},
            {"name":"extra","type":"mixed"},{"name":"tags","type":"string[]"},{"name":"marks","type":"int?[]"},
            {"name":"words","type":"string<>"},{"name":"rates","type":"decimal128?{}"},{"name":"days","type":"date[]"},
            {"name":"anything","type":"mixed[]"},{"name":"notes","type":"mixed{}"},
            {"name":"next","type":"Book?"},{"name":"series","type":"Book[]"},{"name":"related","type":"Book<>"},
            {"name":"shelves","type":"Shelf?{}"},{"name":"publisher","type":"Publisher?"},
            {"name":"editions","type":"Edition[]"},{"name":"loans","type":"Loan?"}]},
          {"name":"Shelf","properties":[{"name":"label","type":"string"},{"name":"books","type":"linkingObjects(Book.shelves)"}]},
          {"name":"Publisher","embedded":true,"properties":[
            {"name":"name","type":"string"},{"name":"address","type":"Address?"}]},
          {"name":"Address","embedded":true,"properties":[
            {"name":"street","type":"string"},{"name":"codes","type":"int[]"},{"name":"main","type":"Book?"}]},
          {"name":"Edition","embedded":true,"properties":[
            {"name":"year","type":"int"},{"name":"of","type":"linkingObjects(Book.editions)"}]},
          {"name":"Loan","primaryKey":"number","properties":[{"name":"number","type":"uuid"},{"name":"by","type":"string"}]}]}
        """#

    /// A book without any values.
    static let empty = #"""
        {"id":1,"cover":"","stamp":null,"price":"0","fee":"1.10","extra":null,"tags":[],"marks":[],"words":[],"rates":{},"days":[],"anything":[],"notes":{},"next":null,"series":[],"related":[],"shelves":{},"publisher":null,"editions":[],"loans":null}
        """#

    /// A book with a value of each type, as it is read back; requires shelf 0 and book 1.
    static let full = #"""
        {"id":2,"cover":"AP8=","stamp":"","price":"12345678901234567890.10","fee":null,"extra":{"at":{"$date":"1970-01-01T00:00:00.000000001Z"},"list":[1,2.5,{"$decimal":"1.10"},{"$binary":"AA=="},{"$link":{"class":"Book","key":1}},{"$link":{"class":"Shelf","key":0}},{"$float":0.1},{"$double":"NaN"},[],{}]},"tags":["b","a","b"],"marks":[1,null,-9223372036854775808],"words":["Z","a","é"],"rates":{"":"NaN","EUR":"1.0","USD":null},"days":["2026-01-31T00:00:00Z"],"anything":[null,"x",{"$uuid":"00000000-0000-0000-0000-00000000000b"}],"notes":{"a":{"$oid":"00000000000000000000000a"},"b":[[]]},"next":1,"series":[1,2,1],"related":[1,2],"shelves":{"left":{"$link":{"class":"Shelf","key":0}},"right":null},"publisher":{"name":"Ada","address":{"street":"Main","codes":[3,1],"main":2}},"editions":[{"year":1999},{"year":2001}],"loans":"123e4567-e89b-12d3-a456-426614174000"}
        """#
}
