"""What layers of networks compute: convolution, pooling, normalisation, attention, embeddings."""
