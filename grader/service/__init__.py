"""One warm judge behind every command: started when it is first needed, for its own user alone."""
