import JSONCoding
import ObjectModel
import Testing

/// Signatures and keys that the standards print as examples.
enum StandardExamples {
    /// A signature with the key that made it.
    struct Signed: Sendable, CustomTestStringConvertible {
        let source: String
        let algorithm: String
        let key: JSONValue
        let text: String

        var testDescription: String { "\(source), \(algorithm)" }
    }

    private static func text(_ pairs: KeyValuePairs<String, String>) -> JSONValue {
        .object(JSONObject(pairs.map { JSONObject.Member(name: $0.key, value: .string($0.value)) }))
    }

    /// The claims of RFC 7515, appendix A: of "joe", valid until 1300819380.
    private static let claims =
        "eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ"
    /// The sentence of RFC 7520, section 4.
    private static let sentence =
        "SXTigJlzIGEgZGFuZ2Vyb3VzIGJ1c2luZXNzLCBGcm9kbywgZ29pbmcgb3V0IHlvdXIgZG9vci4gWW91IHN0ZXAgb250byB0"
        + "aGUgcm9hZCwgYW5kIGlmIHlvdSBkb24ndCBrZWVwIHlvdXIgZmVldCwgdGhlcmXigJlzIG5vIGtub3dpbmcgd2hlcmUgeW91"
        + "IG1pZ2h0IGJlIHN3ZXB0IG9mZiB0by4"
    private static let secret =
        "AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75aKtMN3Yj0iPS4hcgUuTwjAzZr1Z9CAow"
    private static let modulus7515 =
        "ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-Vaw-4qPCJrcS2mJPMEzP1Pt0Bm4d4Ql"
        + "L-yRT-SFd2lZS-pCgNMsD1W_YpRPEwOWvG6b32690r2jZ47soMZo9wGzjb_7OMg0LOL-bSf63kpaSHSXndS5z5rexMdbBYUs"
        + "LA9e-KXBdQOS-UTo7WTBEMa2R2CapHg665xsmtdVMTBQY4uDZlxvb3qCo5ZwKh9kG4LT6_I5IhlJH7aGhyxXFvUK-DWNmoud"
        + "F8NAco9_h9iaGNj8q2ethFkMLs91kzk2PAcDTW9gb54h4FRWyuXpoQ"
    private static let modulus7517 =
        "0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx4cbbfAAtVT86zwu1RK7aPFFxuhDR1L6tSoc_BJECPebWK"
        + "RXjBZCiFV4n3oknjhMstn64tZ_2W-5JsGY4Hc5n9yBXArwl93lqt7_RN5w6Cf0h4QyQ5v-65YGjQR0_FDW2QvzqY368QQMic"
        + "AtaSqzs8KJZgnYb9c7d0zgdAZHzu6qMQvRL5hajrn1n91CbOpbISD08qNLyrdkt-bFTWhAI4vMQFh6WeZu0fM4lFd2NcRwr3"
        + "XPksINHaQ-G_xBniIqbw0Ls1jF44-csFCur-kEgU8awapJzKnqDKgw"
    private static let modulus7520 =
        "n4EPtAOCc9AlkeQHPzHStgAbgs7bTZLwUBZdR8_KuKPEHLd4rHVTeT-O-XV2jRojdNhxJWTDvNd7nqQ0VEiZQHz_AJmSCpMa"
        + "JMRBSFKrKb2wqVwGU_NsYOYL-QtiWN2lbzcEe6XC0dApr5ydQLrHqkHHig3RBordaZ6Aj-oBHqFEHYpPe7Tpe-OfVfHd1E6c"
        + "S6M1FZcD1NNLYD5lFHpPI9bTwJlsde3uhGqC0ZCuEHg8lhzwOHrtIQbS0FVbb9k3-tVTU4fg_3L_vniUFAKwuCLqKnS2BYwd"
        + "q_mzSnbLY7h_qixoR7jig3__kRhuaxwUkRz5iaiQkqgc5gHdrNP5zw"

    private static let rsa7520 = text([
        "kty": "RSA", "kid": "bilbo.baggins@hobbiton.example", "use": "sig", "n": modulus7520, "e": "AQAB",
    ])
    private static let point7520 = text([
        "kty": "EC", "kid": "bilbo.baggins@hobbiton.example", "use": "sig", "crv": "P-521",
        "x": "AHKZLLOsCOzz5cY97ewNUajB957y-C-U88c3v13nmGZx6sYl_oJXu9A5RkTKqjqvjyekWF-7ytDyRXYgCF5cj0Kt",
        "y": "AdymlHvOiLxXkEhayXQnNCvDX4h9htZaCJN34kfmC6pV5OhQHiraVySsUdaQkAgDPrwQrJmbnX9cwlGfP-HqHZR1",
    ])
    private static let secret7520 = text([
        "kty": "oct", "kid": "018c0ae5-4d9b-471b-bfd6-eef314bc7037", "use": "sig", "alg": "HS256",
        "k": "hJtXIZ2uSN5kbQfbtTNWbpdmhkV8FJG-Onbc6mxCcYg",
    ])

    /// RFC 7515, appendix A.3.
    static let es256 = Signed(
        source: "RFC 7515 A.3", algorithm: "ES256",
        key: text([
            "kty": "EC", "crv": "P-256", "x": "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",
            "y": "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0",
        ]),
        text: "eyJhbGciOiJFUzI1NiJ9.\(claims)."
            + "DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q")

    /// All signatures in the compact form, and those of other forms whose header is protected as a whole.
    static let signed: [Signed] = [
        Signed(
            source: "RFC 7515 A.1", algorithm: "HS256", key: text(["kty": "oct", "k": secret]),
            text: "eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9.\(claims)."
                + "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"),
        Signed(
            source: "RFC 7515 A.2", algorithm: "RS256", key: text(["kty": "RSA", "n": modulus7515, "e": "AQAB"]),
            text: "eyJhbGciOiJSUzI1NiJ9.\(claims)."
                + "cC4hiUPoj9Eetdgtv3hF80EGrhuB__dzERat0XF9g2VtQgr9PJbu3XOiZj5RZmh7AAuHIm4Bh-0Qc_lF5YKt_O8W2Fp5"
                + "jujGbds9uJdbF9CUAr7t1dnZcAcQjbKBYNX4BAynRFdiuB--f_nZLgrnbyTyWzO75vRK5h6xBArLIARNPvkSjtQBMHlb"
                + "1L07Qe7K0GarZRmB_eSN9383LcOLn6_dO--xi12jzDwusC-eOkHWEsqtFZESc6BfI7noOPqvhJ1phCnvWh6IeYI2w9QO"
                + "YEUipUTI8np6LbgGY9Fs98rqVt5AXLIhWkWywlVmtVrBp0igcN_IoypGlUPQGe77Rw"),
        es256,
        Signed(
            source: "RFC 7515 A.4", algorithm: "ES512",
            key: text([
                "kty": "EC", "crv": "P-521",
                "x": "AekpBQ8ST8a8VcfVOTNl353vSrDCLLJXmPk06wTjxrrjcBpXp5EOnYG_NjFZ6OvLFV1jSfS9tsz4qUxcWceqwQGk",
                "y": "ADSmRA43Z1DSNx_RvcLI87cdL07l6jQyyBXMoxVg_l2Th-x3S1WDhjDly79ajL4Kkd0AZMaZmh9ubmf63e3kyMj2",
            ]),
            text: "eyJhbGciOiJFUzUxMiJ9.UGF5bG9hZA."
                + "AdwMgeerwtHoh-l192l60hp9wAHZFVJbLfD_UxMi70cwnZOYaRI1bKPWROc-mZZqwqT2SI-KGDKB34XO0aw_7XdtAG8G"
                + "aSwFKdCAPZgoXD2YBJZCPEX3xKpRwcdOO8KpEHwJjyqOgzDO7iKvU8vcnwNrmxYbSW9ERBXukOXolLzeO_Jn"),
        Signed(
            source: "RFC 7520 4.1", algorithm: "RS256", key: rsa7520,
            text: "eyJhbGciOiJSUzI1NiIsImtpZCI6ImJpbGJvLmJhZ2dpbnNAaG9iYml0b24uZXhhbXBsZSJ9.\(sentence)."
                + "MRjdkly7_-oTPTS3AXP41iQIGKa80A0ZmTuV5MEaHoxnW2e5CZ5NlKtainoFmKZopdHM1O2U4mwzJdQx996ivp83xugl"
                + "II7PNDi84wnB-BDkoBwA78185hX-Es4JIwmDLJK3lfWRa-XtL0RnltuYv746iYTh_qHRD68BNt1uSNCrUCTJDt5aAE6x"
                + "8wW1Kt9eRo4QPocSadnHXFxnt8Is9UzpERV0ePPQdLuW3IS_de3xyIrDaLGdjluPxUAhb6L2aXic1U12podGU0KLUQSE"
                + "_oI-ZnmKJ3F4uOZDnd6QZWJushZ41Axf_fcIe8u9ipH84ogoree7vjbU5y18kDquDg"),
        Signed(
            source: "RFC 7520 4.2", algorithm: "PS384", key: rsa7520,
            text: "eyJhbGciOiJQUzM4NCIsImtpZCI6ImJpbGJvLmJhZ2dpbnNAaG9iYml0b24uZXhhbXBsZSJ9.\(sentence)."
                + "cu22eBqkYDKgIlTpzDXGvaFfz6WGoz7fUDcfT0kkOy42miAh2qyBzk1xEsnk2IpN6-tPid6VrklHkqsGqDqHCdP6O8TT"
                + "B5dDDItllVo6_1OLPpcbUrhiUSMxbbXUvdvWXzg-UD8biiReQFlfz28zGWVsdiNAUf8ZnyPEgVFn442ZdNqiVJRmBqrY"
                + "RXe8P_ijQ7p8Vdz0TTrxUeT3lm8d9shnr2lfJT8ImUjvAA2Xez2Mlp8cBE5awDzT0qI0n6uiP1aCN_2_jLAeQTlqRHtf"
                + "a64QQSUmFAAjVKPbByi7xho0uTOcbH510a6GYmJUAfmWjwZ6oD4ifKo8DYM-X72Eaw"),
        Signed(
            source: "RFC 7520 4.3", algorithm: "ES512", key: point7520,
            text: "eyJhbGciOiJFUzUxMiIsImtpZCI6ImJpbGJvLmJhZ2dpbnNAaG9iYml0b24uZXhhbXBsZSJ9.\(sentence)."
                + "AE_R_YZCChjn4791jSQCrdPZCNYqHXCTZH0-JZGYNlaAjP2kqaluUIIUnC9qvbu9Plon7KRTzoNEuT4Va2cmL1eJAQy3"
                + "mtPBu_u_sDDyYjnAMDxXPn7XrT0lw-kvAD890jl8e2puQens_IEKBpHABlsbEPX6sFY8OcGDqoRuBomu9xQ2"),
        Signed(
            source: "RFC 7520 4.4", algorithm: "HS256", key: secret7520,
            text: "eyJhbGciOiJIUzI1NiIsImtpZCI6IjAxOGMwYWU1LTRkOWItNDcxYi1iZmQ2LWVlZjMxNGJjNzAzNyJ9.\(sentence)."
                + "s0h6KThzkfBBBkLspW1h84VsJZFTsPPqMDA7g1Md7p0"),
        Signed(
            source: "RFC 7520 4.6", algorithm: "HS256", key: secret7520,
            text: "eyJhbGciOiJIUzI1NiJ9.\(sentence)."
                + "bWUSVaxorn7bEF1djytBd0kHv70Ly5pvbomzMWSOr20"),
        Signed(
            source: "RFC 7520 4.8", algorithm: "RS256", key: rsa7520,
            text: "eyJhbGciOiJSUzI1NiJ9.\(sentence)."
                + "MIsjqtVlOpa71KE-Mss8_Nq2YH4FGhiocsqrgi5NvyG53uoimic1tcMdSg-qptrzZc7CG6Svw2Y13TDIqHzTUrL_lR2Z"
                + "FcryNFiHkSw129EghGpwkpxaTn_THJTCglNbADko1MZBCdwzJxwqZc-1RlpO2HibUYyXSwO97BSe0_evZKdjvvKSgsIq"
                + "jytKSeAMbhMBdMma622_BG5t4sdbuCHtFjp9iJmkio47AIwqkZV1aIZsv33uPUqBBCXbYoQJwt7mxPftHmNlGoOSMxR_"
                + "3thmXTCm4US-xiNOyhbm8afKK64jU6_TPtQHiJeQJxz9G3Tx-083B745_AfYOnlC9w"),
        Signed(
            source: "RFC 8037 A.4", algorithm: "EdDSA",
            key: text(["kty": "OKP", "crv": "Ed25519", "x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"]),
            text: "eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc."
                + "hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg"),
    ]

    /// RFC 7515, appendix A.5: not signed.
    static let unsecured = "eyJhbGciOiJub25lIn0.\(claims)."

    /// RFC 7515, appendix A.6, with one of its signatures: the form that is a JSON object.
    static let general =
        #"{"payload":"\#(claims)","signatures":[{"protected":"eyJhbGciOiJFUzI1NiJ9","signature":"\#(es256.signature)"}]}"#

    /// RFC 7520, section 4.5: the content is elsewhere.
    static let detached = Signed(
        source: "RFC 7520 4.5", algorithm: "HS256", key: secret7520,
        text: "eyJhbGciOiJIUzI1NiIsImtpZCI6IjAxOGMwYWU1LTRkOWItNDcxYi1iZmQ2LWVlZjMxNGJjNzAzNyJ9.."
            + "s0h6KThzkfBBBkLspW1h84VsJZFTsPPqMDA7g1Md7p0")

    /// RFC 7515, appendix A.1, as it would be if it were encrypted: five parts, as RFC 7516 has it.
    static let encrypted =
        "eyJhbGciOiJSU0EtT0FFUCIsImVuYyI6IkEyNTZHQ00ifQ.T0FFUA.48V1_ALb6US04U3b.5eym8TW_c8SuK0ltJ3rp"
        + ".XFBoMYUZodetZdvTiFvSkQ"

    /// RFC 7517, appendix A.1: public keys, the first of them for encryption.
    static let publicKeys: [JSONValue] = [
        text([
            "kty": "EC", "crv": "P-256", "x": "MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4",
            "y": "4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM", "use": "enc", "kid": "1",
        ]),
        text(["kty": "RSA", "n": modulus7517, "e": "AQAB", "alg": "RS256", "kid": "2011-04-29"]),
    ]

    /// RFC 7517, appendix A.3: secrets, the first of them for wrapping keys.
    static let secrets: [JSONValue] = [
        text(["kty": "oct", "alg": "A128KW", "k": "GawgguFyGrWKav7AX4VKUg"]),
        text(["kty": "oct", "k": secret, "kid": "HMAC key used in JWS spec Appendix A.1 example"]),
    ]

    /// RFC 7518, appendix C, and RFC 8037, appendix A.6: keys to agree on others with.
    static let agreement: [JSONValue] = [
        text([
            "kty": "EC", "crv": "P-256", "x": "weNJy2HscCSM6AEDTDg04biOvhFhyyWvOHQfeF_PxMQ",
            "y": "e8lnCO-AlStT-NJVX-crhB7QRYhiix03illJOVAOyck", "use": "enc",
        ]),
        text(["kty": "OKP", "crv": "X25519", "kid": "Bob", "x": "3p7bfXt9wbTTW2HC7OQ1Nz-DQ8hbeGdNrfx-FG-IK08"]),
    ]
}

extension StandardExamples.Signed {
    /// The last part.
    var signature: Substring { text.split(separator: ".").last ?? "" }
}
