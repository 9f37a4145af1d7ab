"""The driver against servers that are not what they seem: literal handshakes over a real socket."""

from __future__ import annotations

import socket
import ssl
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from headwater.drivers.mysql import MySqlSettings, TlsSettings, connect, split_statements
from headwater.errors import AuthenticationError, ConfigError, ConnectionFailed, HeadwaterError

SECRET = "f7-Secret-3"
# Capabilities: 4.1 protocol, secure connection, plug-in authentication, transactions; TLS is bit 0x800.
PLAIN, WITH_TLS = 0x000AA200, 0x000AAA00


def packet(payload: bytes, sequence: int) -> bytes:
    return len(payload).to_bytes(3, "little") + bytes((sequence,)) + payload


def greeting(capabilities: int, plugin: bytes = b"mysql_native_password") -> bytes:
    """The first packet of a server: version, thread, salt, capabilities, authentication plug-in."""
    low, high = (capabilities & 0xFFFF).to_bytes(2, "little"), (capabilities >> 16).to_bytes(2, "little")
    return packet(
        b"\x0a8.0.0\0" + bytes(4) + b"saltsalt\0" + low + b"\x2d\2\0" + high + b"\x15" + bytes(10) + b"saltsaltsalt\0" + plugin + b"\0", 0
    )


Talk = Callable[[socket.socket], None]


@pytest.fixture
def fake() -> Iterator[Callable[[Talk], tuple[MySqlSettings, bytearray]]]:
    """Starts a server that talks as told; gives settings for it and what it received."""
    listeners: list[socket.socket] = []
    threads: list[threading.Thread] = []

    def start(talk: Talk) -> tuple[MySqlSettings, bytearray]:
        listener = socket.create_server(("127.0.0.1", 0))
        listeners.append(listener)
        received = bytearray()

        def serve() -> None:
            peer, _ = listener.accept()
            with peer:
                peer.settimeout(20)
                talk(peer)
                while data := _receive(peer):
                    received.extend(data)

        thread = threading.Thread(target=serve)
        thread.start()
        threads.append(thread)
        return MySqlSettings("127.0.0.1", listener.getsockname()[1], "reader", SECRET, connect_timeout=1), received

    yield start
    for thread in threads:
        thread.join(30)
    for listener in listeners:
        listener.close()


def _receive(peer: socket.socket) -> bytes:
    try:
        return peer.recv(4096)
    except OSError:
        return b""


def with_tls(settings: MySqlSettings, mode: str, *, key_retrieval: bool = False) -> MySqlSettings:
    return MySqlSettings(
        settings.host, settings.port, settings.user, settings.password, tls=TlsSettings(mode=mode), connect_timeout=1,
        allow_public_key_retrieval=key_retrieval,
    )  # fmt: skip


@pytest.mark.parametrize("mode", ["required", "verify_ca", "verify_identity", "trust", "verify-ca", "verify-full"])
def test_a_server_without_tls_gets_no_password_where_tls_is_demanded(
    fake: Callable[[Talk], tuple[MySqlSettings, bytearray]], mode: str
) -> None:
    settings, received = fake(lambda peer: peer.sendall(greeting(PLAIN)))
    with pytest.raises(ConnectionFailed, match=f"offers no TLS, which database.ssl.mode={mode} demands"):
        connect(with_tls(settings, mode))
    assert received == b""


def test_preferred_falls_back_where_the_server_has_no_tls(fake: Callable[[Talk], tuple[MySqlSettings, bytearray]]) -> None:
    def talk(peer: socket.socket) -> None:
        peer.sendall(greeting(PLAIN))
        answer = peer.recv(4096)
        # The reply to the greeting, not a request for TLS: it has the user's name, and no TLS bit.
        assert b"reader\0" in answer
        assert not answer[5] & 0x08
        peer.sendall(packet(b"\xff\x15\x04#28000Access denied", 2))

    settings, _ = fake(talk)
    with pytest.raises(AuthenticationError, match="Access denied"):
        connect(with_tls(settings, "preferred"))


def _asks_for(plugin: bytes) -> Talk:
    def talk(peer: socket.socket) -> None:
        peer.sendall(greeting(PLAIN))
        peer.recv(4096)
        peer.sendall(packet(b"\xfe" + plugin + b"\0" + b"saltsaltsaltsaltsalt\0", 2))
        if plugin == b"caching_sha2_password":
            peer.recv(4096)
            peer.sendall(packet(b"\1\4", 4))  # full authentication, please

    return talk


@pytest.mark.parametrize(
    "plugin, text",
    [
        (b"mysql_clear_password", "in plain text, which is sent with TLS only"),
        (b"caching_sha2_password", "driver.allowPublicKeyRetrieval=true"),
        (b"sha256_password", "driver.allowPublicKeyRetrieval=true"),
    ],
)
def test_a_server_cannot_ask_for_the_password_in_a_form_it_can_read(
    fake: Callable[[Talk], tuple[MySqlSettings, bytearray]], plugin: bytes, text: str
) -> None:
    settings, received = fake(_asks_for(plugin))
    with pytest.raises(AuthenticationError, match=text) as caught:
        connect(with_tls(settings, "preferred"))
    assert received == b""
    assert SECRET not in str(caught.value)


@pytest.mark.parametrize("talk", [lambda peer: None, lambda peer: peer.sendall(greeting(PLAIN)[:20])], ids=["nothing", "half a greeting"])
def test_a_silent_server_ends_the_attempt_in_time(fake: Callable[[Talk], tuple[MySqlSettings, bytearray]], talk: Talk) -> None:
    settings, _ = fake(talk)
    start = time.monotonic()
    with pytest.raises(ConnectionFailed, match="Unable to connect"):
        connect(settings)
    assert time.monotonic() - start < 10


@pytest.mark.parametrize("greeting_bytes", [b"HTTP/1.1 400 Bad Request\r\n\r\n", packet(b"", 0), packet(b"\x0a8.0", 0), packet(b"\xff\x69\x04Host is blocked", 0)])
def test_something_else_at_the_port(fake: Callable[[Talk], tuple[MySqlSettings, bytearray]], greeting_bytes: bytes) -> None:
    def talk(peer: socket.socket) -> None:
        peer.sendall(greeting_bytes)
        peer.shutdown(socket.SHUT_WR)

    settings, _ = fake(talk)
    with pytest.raises(HeadwaterError):
        connect(settings)


# -- settings


@pytest.mark.parametrize(
    "text, statements",
    [("", ()), ("SET a = 1", ("SET a = 1",)), (" a; b ;; c;", ("a", "b ; c")), (";;", (";",)), ("a;;;b", ("a;", "b"))],
)
def test_initial_statements(text: str, statements: tuple[str, ...]) -> None:
    assert split_statements(text) == statements


def test_passwords_are_not_shown() -> None:
    settings = MySqlSettings("h", 1, "u", SECRET, tls=TlsSettings(key_password=SECRET))
    assert SECRET not in repr(settings)


@pytest.fixture
def certificate(tmp_path: Path) -> tuple[str, str, str]:
    """A certificate, its key, and the key under a password."""
    cert, key, locked = (tmp_path / name for name in ("cert.pem", "key.pem", "locked.pem"))
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=me", "-days", "2", "-keyout", key, "-out", cert],
        check=True, capture_output=True,
    )  # fmt: skip
    subprocess.run(["openssl", "rsa", "-aes128", "-passout", f"pass:{SECRET}", "-in", key, "-out", locked], check=True, capture_output=True)
    return str(cert), str(key), str(locked)


@pytest.mark.parametrize(
    "mode, verify, hostname",
    [
        ("preferred", ssl.CERT_NONE, False), ("required", ssl.CERT_NONE, False), ("trust", ssl.CERT_NONE, False),
        ("verify_ca", ssl.CERT_REQUIRED, False), ("verify-ca", ssl.CERT_REQUIRED, False),
        ("verify_identity", ssl.CERT_REQUIRED, True), ("verify-full", ssl.CERT_REQUIRED, True),
    ],
)  # fmt: skip
def test_what_each_mode_checks(certificate: tuple[str, str, str], mode: str, verify: ssl.VerifyMode, hostname: bool) -> None:
    cert, key, _ = certificate
    context = TlsSettings(mode, ca=cert, cert=cert, key=key).context()
    assert context is not None
    assert (context.verify_mode, context.check_hostname) == (verify, hostname)
    assert len(context.get_ca_certs()) == (verify is ssl.CERT_REQUIRED)


@pytest.mark.parametrize("mode", ["disabled", "disable"])
def test_no_tls(mode: str) -> None:
    assert TlsSettings(mode).context() is None


def test_keys_under_a_password(certificate: tuple[str, str, str]) -> None:
    cert, _, locked = certificate
    assert TlsSettings("required", cert=cert, key=locked, key_password=SECRET).context() is not None
    for password in ("", "wrong"):
        with pytest.raises(ConfigError, match=r"locked\.pem") as caught:
            TlsSettings("required", cert=cert, key=locked, key_password=password).context()
        assert SECRET not in str(caught.value)


@pytest.mark.parametrize("field, key", [("ca", "truststore"), ("cert", "keystore")])
@pytest.mark.parametrize("suffix", [".jks", ".P12", ".pfx"])
def test_java_key_stores(field: str, key: str, suffix: str) -> None:
    with pytest.raises(ConfigError, match=rf"database\.ssl\.{key} = '/x/store{suffix}'.*keytool"):
        TlsSettings("verify_ca", **{field: "/x/store" + suffix}).context()


def test_files_that_are_missing(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"nothing\.pem"):
        TlsSettings("verify_ca", ca=str(tmp_path / "nothing.pem")).context()
