/// The bytes that hexadecimal digits stand for.
func bytes(_ digits: String) -> [UInt8] {
    let values = digits.compactMap(\.hexDigitValue)
    return stride(from: 0, to: values.count - 1, by: 2).map {
        UInt8(values[$0] << 4 | values[$0 + 1])
    }
}
