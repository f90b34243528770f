"""Ways of showing result records; each only reads them."""
