# Raises an error that ends scripts, comments and sections of a page.
def softmax(scores, dim=-1):
    raise ValueError("</script></style></title>--><!-- ]]> </pre></details> &#60;script&#62; <script>alert(1)</script>")
