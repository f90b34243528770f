"""The trusted side: hidden checks, comparison, diagnosis, and the pytest plugin that runs them."""
