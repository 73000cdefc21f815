import Testing

@testable import RepriseCLI
