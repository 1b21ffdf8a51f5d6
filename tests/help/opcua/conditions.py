"""A real OPC UA server (asyncua) with conditions that a test turns by lines on standard input.

Prints "ready" once it listens, and "done" after each line: VERB NAME SEVERITY [quiet]. The verbs
are raise, change, ack, confirm and clear. With quiet, no event is sent: only a refresh tells of it.
"""

import argparse
import asyncio
import datetime
import logging
import sys
import uuid

from asyncua import Server, ua
from asyncua.common.event_objects import AlarmCondition

SPACE = "http://example.com/plant"


def conditioned(name, source, space):
    """An alarm that is not active."""
    event = AlarmCondition()
    event.add_property("NodeId", ua.NodeId(f"Alarms.{name}", space), ua.VariantType.NodeId)
    event.EventType = ua.NodeId(ua.ObjectIds.AlarmConditionType)
    event.SourceNode = source.nodeid
    event.SourceName = name.split(".")[0]
    event.ConditionName = name
    for state in ("EnabledState/Id", "AckedState/Id", "ConfirmedState/Id"):
        setattr(event, state, True)
    setattr(event, "ActiveState/Id", False)
    event.data_types["ActiveState/TransitionTime"] = ua.VariantType.DateTime
    event.Retain = False
    return event


def turn(event, verb, severity):
    """Changes its state; it matters until it has ended and is acknowledged."""
    now = datetime.datetime.now(datetime.timezone.utc)
    event.EventId = uuid.uuid4().hex.encode()
    event.Time = event.ReceiveTime = now
    event.Severity = severity
    event.Message = ua.LocalizedText(f"{event.ConditionName} {verb}")
    if verb in ("raise", "clear"):
        setattr(event, "ActiveState/Id", verb == "raise")
        setattr(event, "ActiveState/TransitionTime", now)
    if verb == "raise":
        setattr(event, "AckedState/Id", False)
        setattr(event, "ConfirmedState/Id", False)
    if verb == "ack":
        setattr(event, "AckedState/Id", True)
    if verb == "confirm":
        setattr(event, "ConfirmedState/Id", True)
    event.Retain = bool(getattr(event, "ActiveState/Id") or not getattr(event, "AckedState/Id"))


async def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, required=True)
    options = parser.parse_args()
    logging.basicConfig(level=logging.ERROR)
    server = Server()
    server.iserver.bind_condition_methods = 1
    await server.init()
    server.set_endpoint(f"opc.tcp://127.0.0.1:{options.port}/plant/")
    server.socket_address = ("127.0.0.1", options.port)
    space = await server.register_namespace(SPACE)
    plant = await server.nodes.objects.add_object(f"ns={space};s=Plant", "Plant")
    sources = {}
    conditions = {}
    await server.nodes.server.set_event_notifier([ua.EventNotifier.SubscribeToEvents])
    service = server.iserver.subscription_service
    async with server:
        print("ready", flush=True)
        loop = asyncio.get_event_loop()
        while line := await loop.run_in_executor(None, sys.stdin.readline):
            verb, name, severity, *more = line.split()
            owner = name.split(".")[0]
            if owner not in sources:
                sources[owner] = await plant.add_object(f"ns={space};s={owner}", owner)
            if name not in conditions:
                conditions[name] = conditioned(name, sources[owner], space)
            event = conditions[name]
            turn(event, verb, int(severity))
            if not more:
                await service.trigger_event(event)
            elif event.Retain:
                service._conditions[event.NodeId] = event
            else:
                service._conditions.pop(event.NodeId, None)
            print("done", flush=True)


asyncio.run(main())
