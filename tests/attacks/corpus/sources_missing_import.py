# Imports what is not there.
import attention_answers
