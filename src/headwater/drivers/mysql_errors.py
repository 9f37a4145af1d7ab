"""Errors of the MySQL client and server -> Headwater's, which say what to do and never show a password."""

from __future__ import annotations

import ssl
from typing import NoReturn

from headwater.errors import AuthenticationError, ConnectionFailed, HeadwaterError, PositionLost, PreflightError
from headwater.wire.mysql.servererror import ServerError

# Server and client error numbers (https://dev.mysql.com/doc/mysql-errors/en/): the user was refused, ...
_DENIED = frozenset((1130, 1251, 1698, 1820, 1862, 2059, 2061, 3118))
# ... may not do it, ...
_PRIVILEGE = frozenset((1044, 1142, 1143, 1227, 1370))
# ... or the connection ended.
_GONE = frozenset((1040, 1053, 1077, 1079, 1152, 1158, 1159, 1160, 1161, 1184, 2006, 2013, 2014, 2055, 3169, 4031))
_CANNOT_CONNECT = frozenset((0, 2003, 2013))
# Of a login: wrong password. Of a command on an open connection: a missing privilege.
_ACCESS_DENIED = 1045
_LOG_NOT_READABLE = 1236

GRANT = "GRANT SELECT, RELOAD, SHOW DATABASES, REPLICATION SLAVE, REPLICATION CLIENT ON *.* TO '{user}'@'%'"


def connect_error(error: Exception, address: str, user: str) -> HeadwaterError:
    """What a failed attempt to connect means."""
    reason = getattr(error, "original_exception", None) or error.__cause__ or error
    if isinstance(reason, ssl.SSLCertVerificationError):
        return ConnectionFailed(
            f"the certificate of {address} was not accepted ({reason.verify_message}): "
            "check database.ssl.truststore and database.ssl.mode"
        )
    code, text = _parts(error)
    if isinstance(error, OSError) or code in _CANNOT_CONNECT:
        return ConnectionFailed(
            f"Unable to connect to the database at {address} with user '{user}': {text}. "
            "Check database.hostname and database.port, and that the server runs and can be reached from here"
        )
    if code == _ACCESS_DENIED:
        return _denied(text, address, user)
    return server_error(ServerError(code, _state(error, code), text), address, user)


def raise_query_error(error: Exception, address: str, user: str) -> NoReturn:
    """Raises what a failure on an open connection means."""
    code, text = _parts(error)
    if isinstance(error, OSError) or code == 0:
        raise ConnectionFailed(f"the connection at {address} with user '{user}' broke: {text or 'it is closed'}") from error
    raise server_error(ServerError(code, _state(error, code), text), address, user) from error


def server_error(error: ServerError, address: str, user: str) -> HeadwaterError:
    """An error on an open connection -> the one that tells what to do; `error` itself where nothing is known of it."""
    where = f"at {address} with user '{user}'"
    if error.code in _DENIED:
        return _denied(error.text, address, user)
    if error.code in _PRIVILEGE or error.code == _ACCESS_DENIED:
        grant = GRANT.format(user=user)
        return PreflightError(f"the user '{user}' lacks a privilege {where}: {error.text}. Grant it: {grant}")
    if error.code == _LOG_NOT_READABLE:
        return _log_error(error.text, address)
    if error.code in _GONE:
        return ConnectionFailed(f"the connection {where} broke: {error.text}")
    return error


def _denied(text: str, address: str, user: str) -> AuthenticationError:
    return AuthenticationError(
        f"Failed to authenticate to the database at {address} with user '{user}': {text}. "
        "Check database.user and database.password, and the hosts the user may come from"
    )


def _log_error(text: str, address: str) -> HeadwaterError:
    if "same server_uuid" in text or "same server_id" in text:
        return PreflightError(
            f"another reader with the same database.server.id has connected to {address}: {text}. "
            "Give each reader a number of its own"
        )
    return PositionLost(
        f"the server at {address} cannot send its log from the stored position: {text}. "
        "Take a new snapshot: snapshot.mode=when_needed"
    )


def _parts(error: Exception) -> tuple[int, str]:
    code = error.args[0] if error.args and isinstance(error.args[0], int) else 0
    return code, str(error.args[1]) if len(error.args) > 1 else str(error)


def _state(error: Exception, code: int) -> str:
    # The client library knows the SQL state since its version 1.2.
    known = getattr(error, "sqlstate", None)
    if known:
        return str(known)
    return "28000" if code in _DENIED or code == _ACCESS_DENIED else "42000" if code in _PRIVILEGE else "HY000"
