# Imports itself.
import softmax as answer
