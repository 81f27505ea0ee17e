# %% [markdown] id="welcome"
# # Drag a number
#
# Two numbers and a formula, $y = (a + b)\cdot(b + 1)$. Run the cells below with Shift + Enter. Then take the card of `b` in
# the picture by its ↔ and drag it to the right: what follows, and what stays?

# %% id="live"
from autograd_lab.lessons import drag, overview, predict, quiz


def expression(a, b):
    c = a + b
    d = b + 1
    y = c * d
    return y


drag(
    expression,
    "`a` = 1 and `b` = 2 give `c` = 3 and `d` = 3, and `y` = 9. Drag `a` or `b`: the value of `y` changes.",
    step=5,
    view="maths",
    a=(0, 2, 1),
    b=(1, 3, 0.5),
)

# %% id="first-vote"
predict("Q.P0")

# %% [markdown] id="about"
# ## What this is
#
# `c`, `d` and `y` follow `b`; `a` stays. You have just seen what *autograd* is about: how fast a result moves when one of its numbers moves. A network has millions of such
# numbers, and PyTorch finds the answer for all of them at once. These twenty-one lessons show how: the graph that it records while your
# program computes, and what becomes of it. In each you predict, run, look closely, change something, and make something of your own.
#
# | you have | take |
# |---|---|
# | three minutes | you are done: the picture and the question above |
# | one hour | lesson [0](00_reading_the_picture.ipynb): what a graph is made of |
# | four hours | lessons 0 to [3](03_backward.ipynb): how a graph is built, how it is walked, and what backward does with it |
# | a course | all of them in order, 27 hours, a few lessons a week, with `autograd-lab review` on the days between; [18](18_gates_and_rates.ipynb) can follow lesson 4, [16](16_your_own_autograd.ipynb) and [19](19_leaks.ipynb) lesson 7, [20](20_compiling.ipynb) lesson 10, [17](17_saving_memory.ipynb) lesson 11 |
#
# An error message brought you here, such as *trying to backward through the graph a second time*? Take [lesson 7](07_lifetime_and_memory.ipynb) for
# that one, [lesson 9](09_in_place.ipynb) for *modified by an inplace operation*, and [lesson 14](14_clinic.ipynb) for others.
#
# **En español:** el [índice](es/index.ipynb) y las lecciones [0](es/00_reading_the_picture.ipynb), [1](es/01_building_forward.ipynb), [2](es/02_tracing_grad_fn.ipynb),
# [3](es/03_backward.ipynb) y [4](es/04_fan_out.ipynb).
#
# Everything runs on autograd_lab, a library with the names of PyTorch. If you start JupyterLab by `AUTOGRAD_LAB_WORLD=torch jupyter lab`, everything runs on PyTorch itself.

# %% [markdown] id="lessons"
# ## Twenty-one lessons
#
# | lesson | minutes |
# |---|---|
# | [0 · Reading the picture](00_reading_the_picture.ipynb) | 50 |
# | [1 · Building forward](01_building_forward.ipynb) | 55 |
# | [2 · Tracing grad_fn](02_tracing_grad_fn.ipynb) | 70 |
# | [3 · Backward, one node at a time](03_backward.ipynb) | 65 |
# | [4 · Fan-out](04_fan_out.ipynb) | 85 |
# | [5 · Leaves and .grad](05_leaves_and_grad.ipynb) | 65 |
# | [6 · Tensors](06_tensors.ipynb) | 90 |
# | [7 · Lifetime and memory](07_lifetime_and_memory.ipynb) | 75 |
# | [8 · Stopping gradients](08_stopping_gradients.ipynb) | 90 |
# | [9 · In-place and versions](09_in_place.ipynb) | 90 |
# | [10 · Dynamic graphs](10_dynamic_graphs.ipynb) | 85 |
# | [11 · Network and loop](11_network_and_loop.ipynb) | 90 |
# | [12 · Your own operator](12_your_own_operator.ipynb) | 70 |
# | [13 · Higher order](13_higher_order.ipynb) | 70 |
# | [14 · Clinic](14_clinic.ipynb) | 120 |
# | [15 · Errata hunt](15_errata_hunt.ipynb) | 130 |
# | [16 · Your own autograd](16_your_own_autograd.ipynb) | 130 |
# | [17 · Saving memory](17_saving_memory.ipynb) | 55 |
# | [18 · Gates and rates](18_gates_and_rates.ipynb) | 55 |
# | [19 · Leaks](19_leaks.ipynb) | 45 |
# | [20 · Compiling](20_compiling.ipynb) | 55 |
#
# ## How far you are
#
# What you do is kept in a file of yours, and nothing is sent anywhere. In a terminal, `autograd-lab progress` shows and exports it, and
# `autograd-lab review` asks again what was wrong or skipped, five minutes a day; what you were certain of comes first. An answer that was wrong can become right there.

# %% id="overview"
overview()

# %% [markdown] id="before"
# ## After lesson 0, before the others
#
# Do lesson 0 first: its words occur here. Then six questions, three minutes. Nothing is said of your answers yet. After the last lesson
# come six others about the same things, and you will see how far you have come. Skip what you do not know.

# %% id="quiz-before"
quiz("before")

# %% [markdown] id="after"
# ## When you are through
#
# Six questions about what the first six were about, and four programs that no lesson shows. Now something is said to each answer.

# %% id="quiz-after"
quiz("after")

# %% [markdown] id="map"
# ## From the articles to the lessons
#
# The lessons take up four articles. Whoever has read one finds here, section by section, where its subject is taken up. Where PyTorch
# does something else than the article says, that lesson shows it.
#
# ### Understanding PyTorch Computational Graphs and Autograd
#
# | section | lessons |
# |---|---|
# | The big picture: how PyTorch makes neural networks work | [0 · Reading the picture](00_reading_the_picture.ipynb) |
# | What are computational graphs? A simple example | [0 · Reading the picture](00_reading_the_picture.ipynb), [1 · Building forward](01_building_forward.ipynb) |
# | Visualizing the computational graph | [2 · Tracing grad_fn](02_tracing_grad_fn.ipynb) |
# | Computational graph in neural networks | [11 · Network and loop](11_network_and_loop.ipynb) |
# | How computational graphs help with backpropagation | [3 · Backward, one node at a time](03_backward.ipynb) |
# | Understanding backpropagation | [3 · Backward, one node at a time](03_backward.ipynb) |
# | Backpropagation in neural networks | [11 · Network and loop](11_network_and_loop.ipynb) |
# | What is autograd and how does it work? Key components | [3 · Backward, one node at a time](03_backward.ipynb), [6 · Tensors](06_tensors.ipynb), [7 · Lifetime and memory](07_lifetime_and_memory.ipynb), [8 · Stopping gradients](08_stopping_gradients.ipynb), [10 · Dynamic graphs](10_dynamic_graphs.ipynb) |
# | Under the hood: how autograd computes gradients | [3 · Backward, one node at a time](03_backward.ipynb) |
# | Visualizing a computational graph for a neural network | [11 · Network and loop](11_network_and_loop.ipynb), [15 · Errata hunt](15_errata_hunt.ipynb) |
# | The training loop | [11 · Network and loop](11_network_and_loop.ipynb) |
# | Conclusion | [8 · Stopping gradients](08_stopping_gradients.ipynb), [15 · Errata hunt](15_errata_hunt.ipynb) |
#
# ### The essay on dynamic graphs
#
# | section | lessons |
# |---|---|
# | Static versus dynamic graphs | [10 · Dynamic graphs](10_dynamic_graphs.ipynb) |
# | Computation as a graph | [1 · Building forward](01_building_forward.ipynb), [4 · Fan-out](04_fan_out.ipynb) |
# | The forward pass | [2 · Tracing grad_fn](02_tracing_grad_fn.ipynb), [11 · Network and loop](11_network_and_loop.ipynb) |
# | The backward pass | [3 · Backward, one node at a time](03_backward.ipynb) |
# | Reverse-mode automatic differentiation | [6 · Tensors](06_tensors.ipynb) |
# | Leaf tensors and gradients | [5 · Leaves and .grad](05_leaves_and_grad.ipynb) |
# | Dynamic graph construction; control flow | [10 · Dynamic graphs](10_dynamic_graphs.ipynb) |
# | Graph lifetime | [7 · Lifetime and memory](07_lifetime_and_memory.ipynb) |
# | Detaching tensors; disabling gradient tracking | [8 · Stopping gradients](08_stopping_gradients.ipynb) |
# | In-place operations | [9 · In-place and versions](09_in_place.ipynb) |
# | Computational graphs in neural networks | [6 · Tensors](06_tensors.ipynb), [11 · Network and loop](11_network_and_loop.ipynb) |
# | Graph depth and memory | [17 · Saving memory](17_saving_memory.ipynb) |
# | Eager execution; graph compilation; modern systems | [10 · Dynamic graphs](10_dynamic_graphs.ipynb), [20 · Compiling](20_compiling.ipynb) |
# | Summary | [15 · Errata hunt](15_errata_hunt.ipynb) |
#
# ### Computation Graphs and Automatic Differentiation
#
# | section | lessons |
# |---|---|
# | Four questions for a large model; from math to DAG | [10 · Dynamic graphs](10_dynamic_graphs.ipynb), [1 · Building forward](01_building_forward.ipynb) |
# | Tensors and operators | [12 · Your own operator](12_your_own_operator.ipynb) |
# | Forward and backward graphs | [12 · Your own operator](12_your_own_operator.ipynb) |
# | Eager execution | [12 · Your own operator](12_your_own_operator.ipynb), [6 · Tensors](06_tensors.ipynb) |
# | Gradient tape disposal | [13 · Higher order](13_higher_order.ipynb) |
# | Custom autograd functions | [12 · Your own operator](12_your_own_operator.ipynb) |
#
# ### Computational Graphs
#
# | section | lessons |
# |---|---|
# | Overview; learning objectives; nodes and edges | [0 · Reading the picture](00_reading_the_picture.ipynb) |
# | Dynamic graph construction; tracing the graph | [2 · Tracing grad_fn](02_tracing_grad_fn.ipynb) |
# | Graph lifecycle and memory | [7 · Lifetime and memory](07_lifetime_and_memory.ipynb), [5 · Leaves and .grad](05_leaves_and_grad.ipynb) |
# | The backward function chain; chain rule in action | [2 · Tracing grad_fn](02_tracing_grad_fn.ipynb), [3 · Backward, one node at a time](03_backward.ipynb) |
# | In-place operations and graphs | [9 · In-place and versions](09_in_place.ipynb) |
# | Visualizing computational graphs | [2 · Tracing grad_fn](02_tracing_grad_fn.ipynb), [15 · Errata hunt](15_errata_hunt.ipynb) |
# | Multiple paths in the graph | [4 · Fan-out](04_fan_out.ipynb) |
# | Training loop pattern | [19 · Leaks](19_leaks.ipynb), [11 · Network and loop](11_network_and_loop.ipynb) |
# | Summary; common pitfalls; references | [14 · Clinic](14_clinic.ipynb), [15 · Errata hunt](15_errata_hunt.ipynb) |
