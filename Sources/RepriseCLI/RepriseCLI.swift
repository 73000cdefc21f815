// RepriseCLI
