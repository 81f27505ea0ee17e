"""Graph learning: each atom hears its neighbours; another molecule, another graph. Bonds are arguments: 0-1 1-2."""

import sys

import autograd_lab as torch

bonds = [tuple(map(int, bond.split("-"))) for bond in sys.argv[1:] or ["0-1", "1-2"]]
atoms = sorted({atom for bond in bonds for atom in bond})
w_own = torch.tensor(0.5, requires_grad=True)
w_near = torch.tensor(0.25, requires_grad=True)

first = {atom: torch.tensor(float(atom + 1)) for atom in atoms}
energy = torch.tensor(0.0)
for atom in atoms:
    near = [first[one + other - atom] for one, other in bonds if atom in (one, other)]
    energy = energy + torch.tanh(w_own * first[atom] + w_near * sum(near))
energy.backward()
print(len(atoms), "atoms", energy, w_near.grad)
