# A Modbus device (pymodbus) that tells what is written to it, and misbehaves when told to.
import asyncio, json, sys

from pymodbus.constants import ExcCodes
from pymodbus.server import ModbusTcpServer
from pymodbus.simulator import DataType, SimData, SimDevice

asked = json.loads(sys.stdin.readline())
mode = ["free"]
released = asyncio.Event()


def tell(**said):
    print(json.dumps(said), flush=True)


async def act(function_code, start_address, address, count, current, values):
    word, *rest = mode[0].split()
    if values is None:
        if word == "hung":
            await released.wait()
        return None
    tell(written=[address, *values])
    if word == "refuse":
        return ExcCodes.ILLEGAL_VALUE
    if word == "clamp":
        values[0] = int(rest[0])
    if word == "hang":
        mode[0] = "hung"
        current[address - start_address] = values[0]
        await released.wait()
    return None


async def listen():
    while line := (await asyncio.to_thread(sys.stdin.readline)).strip():
        mode[0] = line
        (released.set if line == "free" else released.clear)()
        tell(mode=line)


async def main():
    block = SimData(40000, values=asked["words"], datatype=DataType.REGISTERS)
    device = SimDevice(1, simdata=[block], action=act)
    server = ModbusTcpServer(device, address=("127.0.0.1", 0))
    await server.serve_forever(background=True)
    tell(port=server.transport.sockets[0].getsockname()[1])
    await listen()
    await server.shutdown()


asyncio.run(main())
