import Foundation

/// What the files below a directory take on the disk, in bytes; holes do not count.
func diskByteCount(below directory: URL) -> Int {
    var sum = 0
    let files = FileManager.default.enumerator(at: directory, includingPropertiesForKeys: nil)
    while let file = files?.nextObject() as? URL {
        var status = stat()
        guard stat(file.path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { continue }
        sum += Int(status.st_blocks) * 512
    }
    return sum
}
