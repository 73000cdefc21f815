print("reprise")
