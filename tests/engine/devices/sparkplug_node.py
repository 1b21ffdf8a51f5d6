"""An edge node of the package pysparkplug, which is told by lines what to do.

sparkplug_node.py PORT; then `node 5`, `device 7.5`, `skip` (a message is lost), `die`.
"""
import itertools
import os
import sys
import time

import pysparkplug as psp

GROUP, NAME, DEVICE = "g", "py", "inv"


def now():
    return psp.get_current_timestamp()


def metric(name, datatype, value):
    return psp.Metric(timestamp=now(), name=name, datatype=datatype, value=value)


def on_command(node, message):
    """The package leaves commands to its user: a rebirth is all births again."""
    if not any(it.name == "Node Control/Rebirth" and it.value for it in message.payload.metrics):
        return
    node._EdgeNode__seq_cycler = itertools.cycle(range(256))
    own = tuple(node.metrics.values()) + (births,)
    payload = psp.NBirth(timestamp=now(), seq=node._seq, metrics=own)
    topic = psp.Topic(message_type=psp.MessageType.NBIRTH, group_id=GROUP, edge_node_id=NAME)
    send(node, topic, payload)
    for device in node.devices.values():
        topic = psp.Topic(
            message_type=psp.MessageType.DBIRTH,
            group_id=GROUP,
            edge_node_id=NAME,
            device_id=device.device_id,
        )
        send(node, topic, psp.DBirth(now(), seq=node._seq, metrics=device.metrics.values()))


def send(node, topic, payload):
    message = psp.Message(topic=topic, payload=payload, qos=psp.QoS.AT_MOST_ONCE, retain=False)
    node._client.publish(message, include_dtypes=True)


node = psp.EdgeNode(GROUP, NAME, (metric("uptime", psp.DataType.INT64, 1),), cmd_callback=on_command)
births = node._bd_seq_metric
node.register(psp.Device(DEVICE, (metric("P", psp.DataType.DOUBLE, 100.5),)))
node.connect("127.0.0.1", port=int(sys.argv[1]))
while not node._connected:
    time.sleep(0.05)
print("ready", flush=True)
for line in sys.stdin:
    word, *rest = line.split()
    if word == "node":
        node.update((metric("uptime", psp.DataType.INT64, int(rest[0])),))
    elif word == "device":
        node.update_device(DEVICE, (metric("P", psp.DataType.DOUBLE, float(rest[0])),))
    elif word == "skip":
        _ = node._seq
    elif word == "die":
        os._exit(1)
