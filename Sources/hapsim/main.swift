print("hapsim")
