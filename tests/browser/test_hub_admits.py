"""The authenticator of deploy/values.yaml in a live hub: whom the teacher lets in comes in, and nobody else."""

from __future__ import annotations

import importlib.util
import secrets
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

NEEDED = ("jupyterhub", "httpx", "yaml")
missing = [name for name in NEEDED if importlib.util.find_spec(name) is None]
if missing:
    pytest.skip(f"no hub without {', '.join(missing)}", allow_module_level=True)

from tests.hub import PROXY, ROOT, httpx, served  # noqa: E402 - wants a hub
from tests.test_deploy import values  # noqa: E402 - wants yaml

KEY = secrets.token_hex(32)
INVITATIONS = ROOT / "deploy" / "invitations.py"
pytestmark = pytest.mark.skipif(not PROXY.exists(), reason="npm ci --prefix deploy brings the proxy")


def configuration() -> str:
    """What the chart makes of the values: `hub.config`, and then the files in its folder of configuration."""
    told: dict[str, Any] = values()["hub"]
    told["config"]["Authenticator"]["admin_users"] = ["teacher"]
    del told["config"]["JupyterHub"]["subdomain_host"]  # there are no hosts of each student's here
    assert "/jupyterhub_config.d/" in told["extraFiles"]["invitations"]["mountPath"]
    lines = ["import os", "c = get_config()", f"config = {told['config']!r}"]
    lines += ["for app, facts in config.items():", "    c[app].update(facts)", f"load_subconfig({str(INVITATIONS)!r})"]
    lines += ["c.JupyterHub.bind_url = os.environ['AUTOGRAD_LAB_HUB_ADDRESS']", "c.JupyterHub.spawner_class = 'simple'"]
    return "\n".join([*lines, f"c.ConfigurableHTTPProxy.command = [{str(PROXY)!r}]"])


def code(name: str, key: str = KEY) -> str:
    """What the command of the README says."""
    told = {"INVITATION_KEY": key}
    return subprocess.run([sys.executable, INVITATIONS, name], env=told, capture_output=True, text=True).stdout.strip()


class Browser:
    """Somebody with cookies of their own."""

    def __init__(self, address: str) -> None:
        self.line = httpx.Client(base_url=f"{address}/hub/", follow_redirects=True, timeout=60)

    def log_in(self, name: str, password: str) -> bool:
        self.line.get("login")
        fields = {"username": name, "password": password, "_xsrf": self.xsrf}
        self.line.post("login", data=fields, follow_redirects=False)  # which would start a server
        return bool(self.line.get("home").url.path == "/hub/home")

    @property
    def xsrf(self) -> str:
        return str(self.line.cookies.get("_xsrf", path="/hub/"))

    def ask(self, how: str, path: str) -> int:
        """As the pages of the hub do it; the answer's status."""
        self.line.get("home")
        headers = {"X-XSRFToken": self.xsrf, "Referer": f"{self.line.base_url}home"}
        return int(self.line.request(how, path, headers=headers).status_code)


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("hub")
    config = folder / "jupyterhub_config.py"
    config.write_text(configuration())
    with served(folder, config, {"INVITATION_KEY": KEY}) as address:
        yield address


def test_the_teacher_comes_in_and_who_was_invited_and_no_stranger(address: str) -> None:
    teacher, anna, stranger = (Browser(address) for _ in range(3))
    assert not stranger.log_in("teacher", "") and not stranger.log_in("teacher", code("teacher", "x" * 32))
    assert not anna.log_in("anna", code("anna"))  # not before she is invited
    assert teacher.log_in("teacher", code("teacher"))
    assert teacher.line.get("admin").status_code == 200 and teacher.ask("POST", "api/users/anna") == 201

    invitation = teacher.line.get("invitations")
    assert invitation.text == f"anna  {code('anna')}\n" and invitation.headers["cache-control"] == "no-store"
    assert not stranger.log_in("anna", code("ben")) and not stranger.log_in("stranger", code("stranger"))
    assert anna.log_in("Anna", f" {code('anna').upper()} ")
    assert [anna.line.get(page).status_code for page in ("admin", "invitations")] == [403, 403]
    assert anna.ask("POST", "api/users/stranger") == 403
    assert "/hub/login" in str(stranger.line.get(f"{address}/user/anna/lab").url)
    assert "/hub/login" in str(stranger.line.get("invitations").url)

    assert teacher.ask("DELETE", "api/users/anna") == 204
    assert not Browser(address).log_in("anna", code("anna"))


def test_a_hub_without_a_key_does_not_start(tmp_path: Path) -> None:
    config = tmp_path / "jupyterhub_config.py"
    config.write_text(configuration())
    for key in ("", "short"):
        command = [sys.executable, "-m", "jupyterhub", "--show-config-json", "-f", config]
        started = subprocess.run(command, cwd=tmp_path, env={"INVITATION_KEY": key}, capture_output=True, text=True)
        assert started.returncode != 0 and "INVITATION_KEY should be a secret" in started.stderr
