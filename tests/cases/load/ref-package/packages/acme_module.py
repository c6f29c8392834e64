raise RuntimeError("imported")
