# Raises an error whose text is a spreadsheet's formula.
def softmax(scores, dim=-1):
    raise ValueError("=cmd|' /C calc'!A0\t+1+1\n@SUM(1)\n-2")
