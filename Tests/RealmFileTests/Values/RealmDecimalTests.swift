import Testing

@testable import RealmFile

/// Bits that were put together by hand from IEEE 754-2008, section 3.5.2 (binary encoding of the significand).
struct RealmDecimalTests {
    @Test(
        arguments: [
            (0x3280_0000, "0E0"), (0xb280_0000, "-0E0"), (0x3280_0001, "1E0"),
            // -123E-2: exponent 99.
            (0xb180_007b, "-123E-2"),
            (0x0000_0001, "1E-101"), (0x0000_0000, "0E-101"),
            // The largest coefficient without the other form, 2^23 - 1.
            (0x32ff_ffff, "8388607E0"),
            // Exponent and coefficient where the first two bits are 11.
            (0x6ca0_0000, "8388608E0"), (0x6cb8_967f, "9999999E0"), (0x77f8_967f, "9999999E90"),
            (0xf7f8_967f, "-9999999E90"),
            // One more than the largest coefficient.
            (0x6cb8_9680, "0E0"), (0xecb8_9680, "-0E0"),
            (0x7800_0000, "Inf"), (0xf800_0000, "-Inf"), (0x7812_3456, "Inf"),
            (0x7c00_0000, "NaN"), (0xfc00_0000, "NaN"), (0x7e00_0001, "NaN"),
        ] as [(UInt32, String)]
    )
    func `32 bits`(bits: UInt32, text: String) {
        #expect(RealmDecimal(bits).description == text)
    }

    @Test(
        arguments: [
            (0x31c0_0000_0000_0000, "0E0"), (0xb1c0_0000_0000_0000, "-0E0"),
            (0x31c0_0000_0000_0001, "1E0"), (0xb180_0000_0000_007b, "-123E-2"),
            (0x0000_0000_0000_0001, "1E-398"),
            (0x31df_ffff_ffff_ffff, "9007199254740991E0"),
            (0x6c70_0000_0000_0000, "9007199254740992E0"),
            (0x77fb_86f2_6fc0_ffff, "9999999999999999E369"),
            (0x77fb_86f2_6fc1_0000, "0E369"),
            (0x7800_0000_0000_0000, "Inf"), (0xf800_0000_0000_0000, "-Inf"),
            (0x7c00_0000_0000_0000, "NaN"), (0xfe00_0000_0000_0000, "NaN"),
        ] as [(UInt64, String)]
    )
    func `64 bits`(bits: UInt64, text: String) {
        #expect(RealmDecimal(bits).description == text)
    }

    @Test(
        arguments: [
            (0x3040_0000_0000_0000, 0, "0E0"), (0xb040_0000_0000_0000, 0, "-0E0"),
            (0x3040_0000_0000_0000, 1, "1E0"), (0xb03c_0000_0000_0000, 123, "-123E-2"),
            (0x3040_0000_0000_0001, 0, "18446744073709551616E0"),
            (0, 1, "1E-6176"),
            (
                0x5fff_ed09_bead_87c0, 0x378d_8e63_ffff_ffff,
                "9999999999999999999999999999999999E6111"
            ),
            (
                0xdfff_ed09_bead_87c0, 0x378d_8e63_ffff_ffff,
                "-9999999999999999999999999999999999E6111"
            ),
            // One more than the largest coefficient.
            (0x5fff_ed09_bead_87c0, 0x378d_8e64_0000_0000, "0E6111"),
            // The other form begins with 2^113, which is too large already.
            (0x6c10_0000_0000_0000, 0, "0E0"), (0x6c10_0000_0000_0000, 5, "0E0"),
            (0x7800_0000_0000_0000, 0, "Inf"), (0xf800_0000_0000_0000, 0, "-Inf"),
            (0x7c00_0000_0000_0000, 0, "NaN"), (0xfc00_0000_0000_0000, 7, "NaN"),
        ] as [(UInt64, UInt64, String)]
    )
    func `128 bits`(high: UInt64, low: UInt64, text: String) {
        #expect(RealmDecimal(low: low, high: high).description == text)
    }

    @Test func `what is no finite number has no coefficient`() {
        let infinity = RealmDecimal(UInt32(0xf812_3456))
        #expect(infinity.kind == .infinite && infinity.isNegative)
        #expect(infinity.coefficient == 0 && infinity.exponent == 0)
        let nothing = RealmDecimal(UInt64(0xfc00_0000_0000_0001))
        #expect(nothing.kind == .notANumber && !nothing.isNegative)
        #expect(nothing.coefficient == 0 && nothing.exponent == 0)
        #expect(RealmDecimal() == RealmDecimal(UInt32(0x3280_0000)))
    }

    /// Every coefficient and exponent that is put in comes out, whatever the width.
    @Test func `every number comes out as it was put in`() {
        for coefficient: UInt64 in [0, 1, 9, 999_999, 8_388_607] {
            for exponent in stride(from: -101, through: 90, by: 1) {
                let narrow = RealmDecimal(UInt32(exponent + 101) << 23 | UInt32(coefficient))
                let middle = RealmDecimal(UInt64(exponent + 398) << 53 | coefficient)
                let wide = RealmDecimal(low: coefficient, high: UInt64(exponent + 6176) << 49)
                #expect(narrow.coefficient == UInt128(coefficient) && narrow.exponent == exponent)
                #expect(narrow == middle && middle == wide)
            }
        }
    }
}
