"""What holds for a while: whether ops are recorded, inference mode, anomaly mode; and handles, which end a hook."""
