"""A PyMySQL connection that sends a password only as far as the settings allow.

The server chooses how a password is sent; one that is not what it seems could ask for it in a form it can read.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from headwater.errors import AuthenticationError, ConnectionFailed

if TYPE_CHECKING:
    from headwater.drivers.mysql_connection import MySqlSettings


@cache
def connection_class() -> Any:
    """The class, made where it is needed: PyMySQL takes time to import."""
    import pymysql

    base: Any = pymysql.connections.Connection

    class Guarded(base):  # type: ignore[misc]
        """PyMySQL's connection, which sends a password only as far as the settings allow."""

        def __init__(self, settings: MySqlSettings, **options: Any) -> None:
            self._settings = settings
            self._public_key: bytes | None = None
            super().__init__(**options)

        def _request_authentication(self) -> None:
            # Before the password leaves: a mode that demands TLS must not fall back to plain text, and one that
            # only prefers it may.
            flag = pymysql.constants.CLIENT.SSL
            if not self.server_capabilities & flag:
                if self._settings.tls.required:
                    raise ConnectionFailed(
                        f"the server at {self._settings.address} offers no TLS, which "
                        f"database.ssl.mode={self._settings.tls.mode} demands"
                    )
                self.ssl = self._ssl_required = False
                self.client_flag &= ~flag
            super()._request_authentication()

        @property
        def server_public_key(self) -> bytes | None:
            """Asked for where the password is to be hidden by the server's key, as there is no TLS."""
            self._check_key_retrieval()
            return self._public_key

        @server_public_key.setter
        def server_public_key(self, key: bytes | None) -> None:
            if key is not None:
                self._check_key_retrieval()
            self._public_key = key

        def _check_key_retrieval(self) -> None:
            if not self._settings.allow_public_key_retrieval:
                raise AuthenticationError(
                    f"Failed to authenticate to the database at {self._settings.address} with user "
                    f"'{self._settings.user}': without TLS the password would be hidden by a key that the server "
                    "sends. Use TLS (database.ssl.mode=preferred or stricter), or allow it on a network you trust: "
                    "driver.allowPublicKeyRetrieval=true"
                )

        def _process_auth(self, plugin_name: bytes, *args: Any) -> Any:
            if plugin_name == b"mysql_clear_password" and not self._secure:
                raise AuthenticationError(
                    f"the server at {self._settings.address} asks for the password in plain text, which is sent with "
                    "TLS only: database.ssl.mode=required or stricter"
                )
            return super()._process_auth(plugin_name, *args)

    return Guarded
