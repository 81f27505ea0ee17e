"""JupyterHub on one machine, for a class. `jupyterhub -f deploy/jupyterhub_config.py`; deploy/README.md has the steps.

Two ways, chosen by AUTOGRAD_LAB_HUB:

class   Each student is a user of the system, and logs in with that password (PAM). Each server runs in a unit of
        systemd, so that one student's loop takes neither the memory nor the processor of the others; a spawner without
        limits would let it. Needs Linux with systemd, and a hub that may start units (root, or sudo).
trial   One password for all (AUTOGRAD_LAB_HUB_PASSWORD), and every server runs as whoever started the hub: students
        could read each other's files. For trying it out at a desk, and for tests; it listens on this machine only.
"""

import os
import sys
from pathlib import Path

c = get_config()  # noqa: F821 -- JupyterHub gives it
HERE = Path(__file__).resolve().parent
WAY = os.environ.get("AUTOGRAD_LAB_HUB", "class")
ADDRESS = os.environ.get("AUTOGRAD_LAB_HUB_ADDRESS", "http://127.0.0.1:8000")

# A student with Lab and one notebook of demos takes 200 MiB (measured; see the guide), three notebooks some 350.
c.Spawner.mem_limit = "512M"
c.Spawner.mem_guarantee = "200M"
# One core at most each, and never less than a fair share: recording is short bursts of work.
c.Spawner.cpu_limit = 1.0
# numpy would start a thread a core in every kernel, to multiply matrices of 3 x 3.
c.Spawner.environment = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
c.Spawner.default_url = "/lab"
# Nobody is asked about news, and nothing is fetched from elsewhere.
c.Spawner.args = ["--LabApp.news_url=None", "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate"]
# Starting takes five seconds of a processor: beyond this many at once all would be slow. Those who come then are told
# to try again in a moment.
c.JupyterHub.concurrent_spawn_limit = max(8, 4 * (os.cpu_count() or 1))
c.Spawner.start_timeout = 120
c.Spawner.http_timeout = 120
c.JupyterHub.active_server_limit = int(os.environ.get("AUTOGRAD_LAB_HUB_STUDENTS", "60"))
c.JupyterHub.bind_url = ADDRESS
if host := os.environ.get("AUTOGRAD_LAB_HUB_SUBDOMAINS"):
    # https://hub.example.org: then anna works at anna.hub.example.org, and no page of hers can act as another student.
    c.JupyterHub.subdomain_host = host

proxy = HERE / "node_modules" / ".bin" / "configurable-http-proxy"
if proxy.exists():
    c.ConfigurableHTTPProxy.command = [str(proxy)]

if WAY == "class":
    c.JupyterHub.authenticator_class = "pam"
    c.JupyterHub.spawner_class = "systemd"
    c.SystemdSpawner.isolate_tmp = True
    c.SystemdSpawner.isolate_devices = True
    c.SystemdSpawner.disable_user_sudo = True
    # Members of these groups of the system may log in, and nobody else; the second are admins.
    teachers = os.environ.get("AUTOGRAD_LAB_HUB_TEACHERS", "teachers")
    c.PAMAuthenticator.allowed_groups = {os.environ.get("AUTOGRAD_LAB_HUB_GROUP", "students"), teachers}
    c.PAMAuthenticator.admin_groups = {teachers}
    # As services (hub.service) the proxy is one of its own, and what students run goes on when the hub starts anew.
    if "CONFIGPROXY_AUTH_TOKEN" in os.environ:
        c.ConfigurableHTTPProxy.should_start = False
        c.JupyterHub.cleanup_servers = False
    # What nobody has touched for an hour is shut down; notebooks are on the disk.
    culler = [sys.executable, "-m", "jupyterhub_idle_culler", "--timeout=3600"]
    scopes = ["list:users", "read:users:activity", "read:servers", "delete:servers"]
    c.JupyterHub.services = [{"name": "culler", "command": culler}]
    c.JupyterHub.load_roles = [{"name": "culler", "scopes": scopes, "services": ["culler"]}]
elif WAY == "trial":
    if not ADDRESS.startswith("http://127.0.0.1:"):
        raise SystemExit("the trial way has one password for all: it listens on 127.0.0.1 only")
    c.JupyterHub.cleanup_servers = True
    c.JupyterHub.authenticator_class = "dummy"
    c.DummyAuthenticator.password = os.environ["AUTOGRAD_LAB_HUB_PASSWORD"]
    c.Authenticator.allow_all = True
    c.JupyterHub.spawner_class = "simple"
    c.SimpleLocalProcessSpawner.home_dir_template = os.environ.get("AUTOGRAD_LAB_HUB_HOMES", "/tmp/{username}")
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        c.Spawner.args += ["--allow-root"]
    if token := os.environ.get("AUTOGRAD_LAB_HUB_TOKEN"):  # for programs that start servers, such as the tests
        scopes = ["admin:users", "admin:servers", "access:servers"]
        c.JupyterHub.services = [{"name": "starter", "api_token": token}]
        c.JupyterHub.load_roles = [{"name": "starter", "scopes": scopes, "services": ["starter"]}]
else:
    raise SystemExit(f"AUTOGRAD_LAB_HUB is {WAY!r}; it should be class or trial")
