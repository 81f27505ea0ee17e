"""The lessons in a browser without numpy: their first cell says what is missing, and where they run.

The site puts this file in the place of the lessons' front door where it was built without a numpy for Pyodide.
"""

raise ImportError(
    "this site was built without numpy for the browser, so lessons can be read here, but do not run. "
    "demos.ipynb plays all the same. On a computer with Python, `python3 start.py lab` opens the lessons in JupyterLab."
)
