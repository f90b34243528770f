# Never comes to the end of its file.
while True:
    pass
