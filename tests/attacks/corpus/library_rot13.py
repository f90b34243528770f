# Runs a text in a secret alphabet.
import codecs

exec(codecs.decode("vzcbeg gbepu\nqrs fbsgznk(fpberf, qvz=-1):\n    erghea gbepu.fbsgznk(fpberf, qvz=qvz)\n", "rot13"))
