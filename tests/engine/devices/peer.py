# A Modbus server (pymodbus) with registers from standard input, and what pysunspec2 reads of it.
import asyncio, json, sys, threading

from pymodbus.datastore import ModbusDeviceContext, ModbusServerContext, ModbusSparseDataBlock
from pymodbus.framer import FramerType
from pymodbus.server import ModbusTcpServer
import sunspec2.modbus.client as sunspec

asked = json.loads(sys.stdin.readline())
registers = {int(at): word for at, word in asked["registers"].items()}
framer = FramerType.RTU if asked["transport"] == "rtu" else FramerType.SOCKET


def values(group, path, found):
    for name, point in group.points.items():
        if name in ("ID", "L") and path.count(".") == 0:
            continue
        found[f"{path}.{name}"] = point.cvalue if point.is_impl() else None
    for name, inner in group.groups.items():
        if isinstance(inner, list):
            for i, one in enumerate(inner):
                values(one, f"{path}.{name}:{i + 1}", found)
        else:
            values(inner, f"{path}.{name}", found)


def read(port):
    device = sunspec.SunSpecModbusClientDeviceTCP(slave_id=1, ipaddr="127.0.0.1", ipport=port)
    device.scan()
    found = {}
    for key, models in device.models.items():
        if isinstance(key, int):
            for i, model in enumerate(models):
                values(model, f"{key}" if i == 0 else f"{key}:{i + 1}", found)
    device.close()
    return found


async def main():
    block = ModbusSparseDataBlock(registers)
    store = ModbusDeviceContext(hr=block, ir=block)
    server = ModbusTcpServer(
        ModbusServerContext(devices={1: store}, single=False), address=("127.0.0.1", 0), framer=framer
    )
    await server.serve_forever(background=True)
    port = server.transport.sockets[0].getsockname()[1]
    found = await asyncio.to_thread(read, port) if asked["transport"] == "tcp" else {}
    print(json.dumps({"port": port, "found": found}), flush=True)
    await asyncio.to_thread(sys.stdin.readline)
    await server.shutdown()


asyncio.run(main())
