/// Whether bytes where they lie are those of an array. Here, because this module is optimised: tests compare millions.
package func hasSameBytes(_ bytes: UnsafeRawBufferPointer, _ other: [UInt8]) -> Bool {
    unsafe bytes.elementsEqual(other)
}

/// Whether arrays of bytes are the same.
package func hasSameBytes(_ left: [[UInt8]], _ right: [[UInt8]]) -> Bool { left == right }
