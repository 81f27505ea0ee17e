"""Small programs to draw: `autograd-lab draw expression` finds them by name. They are ordinary scripts."""
