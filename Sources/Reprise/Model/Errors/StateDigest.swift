package import RepriseLog

/// A fingerprint of a whole state: the 256-bit wrap-around sum of one SHA-256 per row and per list entry.
///
/// Two stores with the same digest hold the same state, whatever way led there. The digest is kept up to date with
/// every change and recorded in the log with every commit.
public struct StateDigest: Hashable, Sendable, CustomStringConvertible {
    package let value: Digest256

    package init(_ value: Digest256) {
        self.value = value
    }

    /// 64 lower-case hexadecimal digits.
    public var description: String { value.hex }
}
