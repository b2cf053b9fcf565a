"""Content-addressed build steps: cached, parallel, resumable after a kill at any moment."""
