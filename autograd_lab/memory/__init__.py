"""What graph memory costs: four techniques, measured with and without, and drawn. `autograd-lab memory` runs them."""
