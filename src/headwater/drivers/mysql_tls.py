"""TLS for MySQL and MariaDB: the Java drivers' modes and file settings -> an `ssl.SSLContext`."""

from __future__ import annotations

import ssl
from dataclasses import dataclass, field
from pathlib import Path

from headwater.errors import ConfigError, ConfigProblem

# MariaDB's names -> MySQL's
_SAME = {"disable": "disabled", "trust": "required", "verify-ca": "verify_ca", "verify-full": "verify_identity"}
_KEYSTORES = (".jks", ".p12", ".pfx", ".keystore", ".truststore")


@dataclass(frozen=True, slots=True)
class TlsSettings:
    """Mode and PEM files; empty strings where not given. `repr` shows no password."""

    mode: str = "preferred"
    ca: str = ""
    cert: str = ""
    key: str = ""
    key_password: str = field(default="", repr=False)

    @property
    def canonical(self) -> str:
        """The mode under MySQL's name."""
        return _SAME.get(self.mode, self.mode)

    @property
    def required(self) -> bool:
        """Whether a server without TLS must be refused."""
        return self.canonical not in ("disabled", "preferred")

    def context(self) -> ssl.SSLContext | None:
        """The context; None for `disabled`. Raises ConfigError for files it cannot read."""
        mode = self.canonical
        if mode == "disabled":
            return None
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname = mode == "verify_identity"
        verify = mode in ("verify_ca", "verify_identity")
        context.verify_mode = ssl.CERT_REQUIRED if verify else ssl.CERT_NONE
        try:
            if verify and self.ca:
                context.load_verify_locations(_pem("database.ssl.truststore", self.ca))
            elif verify:
                context.load_default_certs()
            if self.cert:
                cert = _pem("database.ssl.keystore", self.cert)
                # With no password at all, OpenSSL would ask for one on the terminal.
                context.load_cert_chain(cert, self.key or None, self.key_password)
        except OSError as e:  # what `ssl` raises is one, too
            files = ", ".join(f for f in (self.ca, self.cert, self.key) if f)
            raise ConfigError(f"the TLS files cannot be used ({files}): {e}") from e
        return context


def _pem(key: str, path: str) -> str:
    if path.lower().endswith(_KEYSTORES):
        rule = (
            "Java key stores are not read; convert it to PEM: keytool -importkeystore -srckeystore IN.jks "
            "-destkeystore OUT.p12 -deststoretype PKCS12, then openssl pkcs12 -in OUT.p12 -nodes -out OUT.pem"
        )
        raise ConfigError([ConfigProblem(key, path, rule, str(Path(path).with_suffix(".pem")))])
    return path
