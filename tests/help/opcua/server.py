"""A real OPC UA server (asyncua) for tests: values of all types, history, security, A&C left out.

Prints "ready" once it listens. Its clock is the system's plus --shift seconds.
"""

import argparse
import asyncio
import datetime
import logging
import pathlib
import sys

from asyncua import Server, ua
from asyncua.crypto.permission_rules import SimpleRoleRuleset, User, UserRole
from asyncua.server.history_sql import HistorySQLite
from asyncua.server.user_managers import UserManager


SPACE = "http://example.com/plant"


class Users(UserManager):
    """Anybody, or with --user only that one."""

    def __init__(self, wanted, role):
        self.wanted = wanted
        self.role = role

    def get_user(self, iserver, username=None, password=None, certificate=None):
        if isinstance(password, bytes):
            password = password.decode()
        if self.wanted and f"{username}:{password}" != self.wanted:
            return None
        return User(role=self.role)


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--host", default="127.0.0.1", help="host in the endpoint's address")
    parser.add_argument("--history", help="file of the history; none: the server has none")
    parser.add_argument("--counters", type=int, default=1, help="variables that count")
    parser.add_argument("--every", type=float, default=0.1, help="seconds between two counts")
    parser.add_argument("--shift", type=float, default=0, help="seconds that its clock is ahead")
    parser.add_argument("--secure", help="folder of cert.pem and key.pem: sign and encrypt only")
    parser.add_argument("--user", help="NAME:PASSWORD; without it anybody")
    parser.add_argument("--operator", action="store_true",
                        help="who signs in may write to the setpoints alone")
    parser.add_argument("--items", type=int, help="MaxMonitoredItemsPerCall")
    return parser.parse_args()


async def add_types(server, space, plant):
    """One variable of each type."""
    when = datetime.datetime(2026, 6, 1, 12, 0, 0, 123456, tzinfo=datetime.timezone.utc)
    values = {
        "Boolean": (True, ua.VariantType.Boolean),
        "SByte": (-7, ua.VariantType.SByte),
        "Byte": (250, ua.VariantType.Byte),
        "Int16": (-30000, ua.VariantType.Int16),
        "UInt16": (60000, ua.VariantType.UInt16),
        "Int32": (-2000000000, ua.VariantType.Int32),
        "UInt32": (4000000000, ua.VariantType.UInt32),
        "Int64": (-9007199254740993, ua.VariantType.Int64),
        "UInt64": (9007199254740993, ua.VariantType.UInt64),
        "Float": (1.5, ua.VariantType.Float),
        "Double": (-2.25, ua.VariantType.Double),
        "NaN": (float("nan"), ua.VariantType.Double),
        "String": ("running", ua.VariantType.String),
        "DateTime": (when, ua.VariantType.DateTime),
        "LocalizedText": (ua.LocalizedText("läuft", "de"), ua.VariantType.LocalizedText),
        "ByteString": (b"abc", ua.VariantType.ByteString),
        "Array": ([1.0, 2.0, 3.0], ua.VariantType.Double),
    }
    for name, (value, kind) in values.items():
        await plant.add_variable(f"ns={space};s=Types.{name}", name, value, kind)
    good = ua.StatusCode(0x40000000)
    statuses = {"Uncertain": good, "Bad": ua.StatusCode(0x808A0000)}
    for name, status in statuses.items():
        node = await plant.add_variable(f"ns={space};s=Types.{name}", name, 5.0)
        await server.write_attribute_value(
            node.nodeid,
            ua.DataValue(ua.Variant(5.0), StatusCode=status, SourceTimestamp=when),
        )


async def add_counters(server, space, plant, options):
    """Variables that count; with a unit, as a measured value has it."""
    counters = []
    for number in range(options.counters):
        node = await plant.add_variable(f"ns={space};i={1001 + number}", f"INV{number + 1}.ActivePower", 0.0)
        if number < 3:
            unit = ua.EUInformation(
                "http://www.opcfoundation.org/UA/units/un/cefact",
                4937544,
                ua.LocalizedText("kW"),
                ua.LocalizedText("kilowatt"),
            )
            await node.add_property(0, "EngineeringUnits", unit)
        counters.append(node)
    if options.history:
        storage = HistorySQLite(options.history)
        server.iserver.history_manager.set_storage(storage)
        await storage.init()
        for node in counters:
            await server.historize_node_data_change(node, period=None, count=0)
    return counters


async def add_setpoints(space, plant):
    """Variables that anybody may write."""
    values = {
        "Boolean": (False, ua.VariantType.Boolean),
        "Int16": (1000, ua.VariantType.Int16),
        "UInt64": (7, ua.VariantType.UInt64),
        "Float": (0.0, ua.VariantType.Float),
        "Double": (100.0, ua.VariantType.Double),
    }
    for name, (value, kind) in values.items():
        node = await plant.add_variable(f"ns={space};s=Set.{name}", f"Set.{name}", value, kind)
        await node.set_writable()


def role_of(options):
    return UserRole.User if options.operator else UserRole.Admin


async def secure(server, options):
    if options.user:
        server.iserver.user_manager = Users(options.user, role_of(options))
    if not options.secure:
        return
    folder = pathlib.Path(options.secure)
    await server.load_certificate(folder / "cert.pem")
    await server.load_private_key(folder / "key.pem")
    await server.set_application_uri("urn:example.com:plant")
    kinds = [ua.SecurityPolicyType.Basic256Sha256_Sign,
             ua.SecurityPolicyType.Basic256Sha256_SignAndEncrypt]
    server.set_security_policy(kinds, permission_ruleset=SimpleRoleRuleset())


async def main():
    options = arguments()
    logging.basicConfig(level=logging.ERROR)
    server = Server(user_manager=Users(options.user, role_of(options)))
    await server.init()
    server.set_endpoint(f"opc.tcp://{options.host}:{options.port}/plant/")
    server.socket_address = ("127.0.0.1", options.port)
    await secure(server, options)
    space = await server.register_namespace(SPACE)
    plant = await server.nodes.objects.add_object(f"ns={space};s=Plant", "Plant")
    await add_types(server, space, plant)
    await add_setpoints(space, plant)
    counters = await add_counters(server, space, plant, options)
    if options.items:
        node = server.get_node(ua.ObjectIds.
                               Server_ServerCapabilities_OperationLimits_MaxMonitoredItemsPerCall)
        await server.write_attribute_value(
            node.nodeid, ua.DataValue(ua.Variant(options.items, ua.VariantType.UInt32)))
    async with server:
        print("ready", flush=True)
        ahead = datetime.timedelta(seconds=options.shift)
        beginning = asyncio.get_event_loop().time()
        count = 0
        while True:
            count += 1
            now = datetime.datetime.now(datetime.timezone.utc) + ahead
            value = float(count)
            for node in counters:
                await server.write_attribute_value(
                    node.nodeid,
                    ua.DataValue(ua.Variant(value), SourceTimestamp=now, ServerTimestamp=now))
            wait = beginning + count * options.every - asyncio.get_event_loop().time()
            await asyncio.sleep(max(0, wait))


if __name__ == "__main__":
    try:
        asyncio.run(main())
    except KeyboardInterrupt:
        sys.exit(0)
