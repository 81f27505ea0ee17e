"""`python -m autograd_lab` is the command `autograd-lab`."""

from autograd_lab.commands.cli import main

if __name__ == "__main__":
    main()
