"""What a graph lacks, and what it keeps."""
