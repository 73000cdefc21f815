/// A named table of an environment: an ordered map from keys to values, both of them bytes.
///
/// Keys compare bytewise, a prefix before what it is a prefix of.
package struct Table: Sendable, Hashable {
    /// The longest key in bytes; the shortest is 1.
    package static let keyByteCountMax = 511
    /// The longest value in bytes. LMDB 0.9 has faults in values near 2 GiB, so they are refused
    /// well before.
    package static let valueByteCountMax = 1 << 30

    /// LMDB's handle, valid for the environment that gave it out.
    let handle: UInt32
}
