import autograd_lab as torch

torch.manual_seed(0)
maker = torch.nn.Sequential(torch.nn.Linear(2, 8), torch.nn.ReLU(), torch.nn.Linear(8, 2))
judge = torch.nn.Sequential(torch.nn.Linear(2, 8), torch.nn.LeakyReLU(0.2), torch.nn.Linear(8, 1))
of_maker = torch.optim.Adam(maker.parameters(), lr=0.01)
of_judge = torch.optim.Adam(judge.parameters(), lr=0.01)
says = torch.nn.BCEWithLogitsLoss()
for _ in range(4):
    real, fake = torch.randn(8, 2) + 2, maker(torch.randn(8, 2))
    of_judge.zero_grad()
    loss = says(judge(real), torch.ones(8, 1)) + says(judge(fake.detach()), torch.zeros(8, 1))
    loss.backward()
    of_judge.step()
    of_maker.zero_grad()
    says(judge(fake), torch.ones(8, 1)).backward()
    of_maker.step()
