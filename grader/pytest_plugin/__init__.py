"""What `pytest exercises/...` needs: the plugin, and a learner's file as pytest sees it."""
