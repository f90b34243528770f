"""What runs on the learner's side of the wall.

This folder is the only part of the project that the sandbox can see. It imports torch, safetensors and the two
lock-down libraries, and nothing else of the project.
"""
