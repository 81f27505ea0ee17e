"""Who is invited comes in: an authenticator for JupyterHub, versions 5 and 6, loaded as a part of its configuration.

The teacher adds names (Admin, "Add Users") and hands out what /hub/invitations says of each: a code, with which that
student logs in. A name that was not added, or was removed again, has no use of its code. Codes are made of the names by
HMAC with INVITATION_KEY, so nothing is stored; who changes the key changes all of them. To see one beforehand, such as
the teacher's own: INVITATION_KEY=… python3 invitations.py NAME
"""

import base64
import hashlib
import hmac
import os
import sys

SHORTEST_KEY = 32


def code(name):
    """The code of a name: 80 bits, in four groups of letters and digits."""
    key = os.environ.get("INVITATION_KEY", "")
    if len(key) < SHORTEST_KEY:
        raise SystemExit(
            f"INVITATION_KEY should be a secret of {SHORTEST_KEY} characters or more: openssl rand -hex 32"
        )
    made = base64.b32encode(hmac.digest(key.encode(), name.encode(), hashlib.sha256)).decode().lower()
    return "-".join(made[at : at + 4] for at in range(0, 16, 4))


if __name__ == "__main__":
    print(*(code(name.lower()) for name in sys.argv[1:]), sep="\n")
    sys.exit()

from jupyterhub.auth import Authenticator  # noqa: E402 -- not needed for the codes
from jupyterhub.handlers import BaseHandler  # noqa: E402
from jupyterhub.scopes import needs_scope  # noqa: E402
from tornado import web  # noqa: E402


class Invitations(BaseHandler):
    """The names that were added, each with its code, for the teacher alone."""

    @web.authenticated
    @needs_scope("admin:users")
    async def get(self):
        self.set_header("Content-Type", "text/plain; charset=utf-8")
        self.set_header("Cache-Control", "no-store")
        names = sorted(self.authenticator.allowed_users - self.authenticator.admin_users)
        self.finish("".join(f"{name}  {code(name)}\n" for name in names))


class ByInvitation(Authenticator):
    """Name and code; that the name was added is asked for besides, by `allow_existing_users`."""

    async def authenticate(self, handler, data):
        name = self.normalize_username(data["username"])
        told = data["password"].strip().lower()
        return name if hmac.compare_digest(told.encode(), code(name).encode()) else None

    def get_handlers(self, app):
        return [*super().get_handlers(app), ("/invitations", Invitations)]


code("")  # a hub without a key does not start
c = get_config()  # noqa: F821 -- JupyterHub gives it
c.JupyterHub.authenticator_class = ByInvitation
c.Authenticator.allow_all = False
c.Authenticator.allow_existing_users = True
