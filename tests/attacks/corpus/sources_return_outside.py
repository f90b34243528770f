# A return outside of a function.
return 5
