"""TLS for MySQL and MariaDB: the drivers' modes and file settings -> an `ssl.SSLContext`."""

from __future__ import annotations

import ssl
from dataclasses import dataclass
from pathlib import Path

from headwater.errors import ConfigError, ConfigProblem

# MariaDB's names -> MySQL's
_SAME = {"disable": "disabled", "trust": "required", "verify-ca": "verify_ca", "verify-full": "verify_identity"}
_KEYSTORES = (".jks", ".p12", ".pfx", ".keystore", ".truststore")


@dataclass(frozen=True, slots=True)
class TlsSettings:
    """Mode and PEM files; empty strings where not given."""

    mode: str = "preferred"
    ca: str = ""
    cert: str = ""
    key: str = ""
    key_password: str = ""

    @property
    def canonical(self) -> str:
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
                context.load_cert_chain(cert, self.key or None, self.key_password or None)
        except (OSError, ssl.SSLError) as e:
            raise ConfigError(f"the TLS files cannot be used: {e}") from e
        return context


def _pem(key: str, path: str) -> str:
    if path.lower().endswith(_KEYSTORES):
        rule = (
            "Java key stores are not read; convert it to PEM: keytool -importkeystore -srckeystore IN.jks "
            "-destkeystore OUT.p12 -deststoretype PKCS12, then openssl pkcs12 -in OUT.p12 -nodes -out OUT.pem"
        )
        raise ConfigError([ConfigProblem(key, path, rule, str(Path(path).with_suffix(".pem")))])
    return path
