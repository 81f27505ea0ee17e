"""Files for other viewers: Perfetto (ui.perfetto.dev, chrome://tracing) and Model Explorer."""

SUFFIXES = (".perfetto.json", ".model-explorer.json", ".node-data.json")
