/// Letters and signs with diacritics by their base letter: the canonical decompositions of Unicode 16 without combining
/// marks. The standard library decomposes text only to compare it.
enum BaseLetters {
    /// The base letter of each letter that has diacritics.
    static let byLetter: [UInt32: UInt32] = {
        var bases: [UInt32: UInt32] = [:]
        for group in groups.unicodeScalars.split(whereSeparator: { $0 == " " || $0 == "\n" }) {
            guard let base = group.first else { continue }
            for letter in group.dropFirst() { bases[letter.value] = base.value }
        }
        return bases
    }()

    /// Each letter with all that decompose to it. Syllables of Hangul and vowels of Kirat Rai, which consist of letters
    /// and no marks, and the doubles of ideographs are left out.
    private static let groups = """
        ;\u{37E} <\u{226E} =\u{2260} >\u{226F} AÀÁÂÃÄÅĀĂĄǍǞǠǺȀȂȦḀẠẢẤẦẨẪẬẮẰẲẴẶ\u{212B} BḂḄḆ CÇĆĈĊČḈ DĎḊḌḎḐḒ
        EÈÉÊËĒĔĖĘĚȄȆȨḔḖḘḚḜẸẺẼẾỀỂỄỆ FḞ GĜĞĠĢǦǴḠ HĤȞḢḤḦḨḪ IÌÍÎÏĨĪĬĮİǏȈȊḬḮỈỊ JĴ KĶǨḰḲḴ\u{212A} LĹĻĽḶḸḺḼ MḾṀṂ
        NÑŃŅŇǸṄṆṈṊ OÒÓÔÕÖŌŎŐƠǑǪǬȌȎȪȬȮȰṌṎṐṒỌỎỐỒỔỖỘỚỜỞỠỢ PṔṖ RŔŖŘȐȒṘṚṜṞ SŚŜŞŠȘṠṢṤṦṨ TŢŤȚṪṬṮṰ
        UÙÚÛÜŨŪŬŮŰŲƯǓǕǗǙǛȔȖṲṴṶṸṺỤỦỨỪỬỮỰ VṼṾ WŴẀẂẄẆẈ XẊẌ YÝŶŸȲẎỲỴỶỸ ZŹŻŽẐẒẔ `\u{1FEF} aàáâãäåāăąǎǟǡǻȁȃȧḁạảấầẩẫậắằẳẵặ
        bḃḅḇ cçćĉċčḉ dďḋḍḏḑḓ eèéêëēĕėęěȅȇȩḕḗḙḛḝẹẻẽếềểễệ fḟ gĝğġģǧǵḡ hĥȟḣḥḧḩḫẖ iìíîïĩīĭįǐȉȋḭḯỉị jĵǰ kķǩḱḳḵ
        lĺļľḷḹḻḽ mḿṁṃ nñńņňǹṅṇṉṋ oòóôõöōŏőơǒǫǭȍȏȫȭȯȱṍṏṑṓọỏốồổỗộớờởỡợ pṕṗ rŕŗřȑȓṙṛṝṟ sśŝşšșṡṣṥṧṩ tţťțṫṭṯṱẗ
        uùúûüũūŭůűųưǔǖǘǚǜȕȗṳṵṷṹṻụủứừửữự vṽṿ wŵẁẃẅẇẉẘ xẋẍ yýÿŷȳẏẙỳỵỷỹ zźżžẑẓẕ ¨΅῁῭΅ ´´ ·\u{387} ÆǢǼ ØǾ æǣǽ øǿ ſẛ ƷǮ
        \u{292}ǯ \u{2B9}ʹ ΑΆἈἉἊἋἌἍἎἏᾈᾉᾊᾋᾌᾍᾎᾏᾸᾹᾺΆᾼ ΕΈἘἙἚἛἜἝῈΈ ΗΉἨἩἪἫἬἭἮἯᾘᾙᾚᾛᾜᾝᾞᾟῊΉῌ ΙΊΪἸἹἺἻἼἽἾἿῘῙῚΊ ΟΌὈὉὊὋὌὍῸΌ ΡῬ
        ΥΎΫὙὛὝὟῨῩῪΎ ΩΏὨὩὪὫὬὭὮὯᾨᾩᾪᾫᾬᾭᾮᾯῺΏῼ\u{2126} αάἀἁἂἃἄἅἆἇὰάᾀᾁᾂᾃᾄᾅᾆᾇᾰᾱᾲᾳᾴᾶᾷ εέἐἑἒἓἔἕὲέ
        ηήἠἡἢἣἤἥἦἧὴήᾐᾑᾒᾓᾔᾕᾖᾗῂῃῄῆῇ ιΐίϊἰἱἲἳἴἵἶἷὶίιῐῑῒΐῖῗ οόὀὁὂὃὄὅὸό ρῤῥ υΰϋύὐὑὒὓὔὕὖὗὺύῠῡῢΰῦῧ
        ωώὠὡὢὣὤὥὦὧὼώᾠᾡᾢᾣᾤᾥᾦᾧῲῳῴῶῷ ϒϓϔ ІЇ АӐӒ ГЃ ЕЀЁӖ ЖӁӜ ЗӞ ИЍЙӢӤ КЌ ОӦ УЎӮӰӲ ЧӴ ЫӸ ЭӬ аӑӓ гѓ еѐёӗ жӂӝ зӟ ийѝӣӥ
        кќ оӧ уўӯӱӳ чӵ ыӹ эӭ ії ѴѶ ѵѷ ӘӚ әӛ ӨӪ өӫ \u{5D0}\u{FB2E}\u{FB2F}\u{FB30} \u{5D1}\u{FB31}\u{FB4C}
        \u{5D2}\u{FB32} \u{5D3}\u{FB33} \u{5D4}\u{FB34} \u{5D5}\u{FB35}\u{FB4B} \u{5D6}\u{FB36} \u{5D8}\u{FB38}
        \u{5D9}\u{FB1D}\u{FB39} \u{5DA}\u{FB3A} \u{5DB}\u{FB3B}\u{FB4D} \u{5DC}\u{FB3C} \u{5DE}\u{FB3E}
        \u{5E0}\u{FB40} \u{5E1}\u{FB41} \u{5E3}\u{FB43} \u{5E4}\u{FB44}\u{FB4E} \u{5E6}\u{FB46} \u{5E7}\u{FB47}
        \u{5E8}\u{FB48} \u{5E9}\u{FB2A}\u{FB2B}\u{FB2C}\u{FB2D}\u{FB49} \u{5EA}\u{FB4A} \u{5F2}\u{FB1F}
        \u{627}\u{622}\u{623}\u{625} \u{648}\u{624} \u{64A}\u{626} \u{6C1}\u{6C2} \u{6D2}\u{6D3} \u{6D5}\u{6C0}
        \u{915}\u{958} \u{916}\u{959} \u{917}\u{95A} \u{91C}\u{95B} \u{921}\u{95C} \u{922}\u{95D} \u{928}\u{929}
        \u{92B}\u{95E} \u{92F}\u{95F} \u{930}\u{931} \u{933}\u{934} \u{9A1}\u{9DC} \u{9A2}\u{9DD} \u{9AF}\u{9DF}
        \u{A16}\u{A59} \u{A17}\u{A5A} \u{A1C}\u{A5B} \u{A2B}\u{A5E} \u{A32}\u{A33} \u{A38}\u{A36} \u{B21}\u{B5C}
        \u{B22}\u{B5D} \u{B92}\u{B94} \u{F40}\u{F69} \u{F42}\u{F43} \u{F4C}\u{F4D} \u{F51}\u{F52} \u{F56}\u{F57}
        \u{F5B}\u{F5C} \u{1025}\u{1026} \u{1B05}\u{1B06} \u{1B07}\u{1B08} \u{1B09}\u{1B0A} \u{1B0B}\u{1B0C}
        \u{1B0D}\u{1B0E} \u{1B11}\u{1B12} ᾿῍῎῏ ῾῝῞῟ \u{2002}\u{2000} \u{2003}\u{2001} \u{2190}\u{219A}
        \u{2192}\u{219B} \u{2194}\u{21AE} \u{21D0}\u{21CD} \u{21D2}\u{21CF} \u{21D4}\u{21CE} \u{2203}\u{2204}
        \u{2208}\u{2209} \u{220B}\u{220C} \u{2223}\u{2224} \u{2225}\u{2226} \u{223C}\u{2241} \u{2243}\u{2244}
        \u{2245}\u{2247} \u{2248}\u{2249} \u{224D}\u{226D} \u{2261}\u{2262} \u{2264}\u{2270} \u{2265}\u{2271}
        \u{2272}\u{2274} \u{2273}\u{2275} \u{2276}\u{2278} \u{2277}\u{2279} \u{227A}\u{2280} \u{227B}\u{2281}
        \u{227C}\u{22E0} \u{227D}\u{22E1} \u{2282}\u{2284} \u{2283}\u{2285} \u{2286}\u{2288} \u{2287}\u{2289}
        \u{2291}\u{22E2} \u{2292}\u{22E3} \u{22A2}\u{22AC} \u{22A8}\u{22AD} \u{22A9}\u{22AE} \u{22AB}\u{22AF}
        \u{22B2}\u{22EA} \u{22B3}\u{22EB} \u{22B4}\u{22EC} \u{22B5}\u{22ED} \u{2ADD}\u{2ADC} \u{3008}\u{2329}
        \u{3009}\u{232A} うゔ かが きぎ くぐ けげ こご さざ しじ すず せぜ そぞ ただ ちぢ つづ てで とど はばぱ ひびぴ ふぶぷ へべぺ ほぼぽ ゝゞ ウヴ カガ キギ クグ ケゲ
        コゴ サザ シジ スズ セゼ ソゾ タダ チヂ ツヅ テデ トド ハバパ ヒビピ フブプ ヘベペ ホボポ ワヷ ヰヸ ヱヹ ヲヺ ヽヾ \u{11099}\u{1109A}
        \u{1109B}\u{1109C} \u{110A5}\u{110AB} \u{1D157}\u{1D15E}
        \u{1D158}\u{1D15F}\u{1D160}\u{1D161}\u{1D162}\u{1D163}\u{1D164} \u{1D1B9}\u{1D1BB}\u{1D1BD}\u{1D1BF}
        \u{1D1BA}\u{1D1BC}\u{1D1BE}\u{1D1C0}
        \u{105D2}\u{105C9} \u{105DA}\u{105E4} \u{11382}\u{11383} \u{11384}\u{11385} \u{1138B}\u{1138E} \u{11390}\u{11391}
        """
}
