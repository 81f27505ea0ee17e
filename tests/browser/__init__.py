"""What is tried in a real Chromium: the page, and the widget in a real JupyterLab."""
