# Python 2.
print "passed"
