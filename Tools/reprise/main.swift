import RepriseCLI

Tool.main()
