/// Which release this is: the one place that has its number.
enum ReleaseVersion {
    /// As in the headings of CHANGELOG.md.
    static let number = "0.1.0"
    /// What `reprise --version` prints.
    static let line = "reprise \(number)"
}
