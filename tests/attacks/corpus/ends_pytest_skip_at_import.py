# Skips the module as pytest would.
import pytest

pytest.skip("not today", allow_module_level=True)
