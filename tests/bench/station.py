"""A station of IEC 60870-5-104 (package c104): station.py PORT POINTS; each is sent every second."""
import random
import sys
import time

import c104

port, count = int(sys.argv[1]), int(sys.argv[2])
server = c104.Server(ip="127.0.0.1", port=port)
station = server.add_station(common_address=1)
points = [
    station.add_point(io_address=i + 1, type=c104.Type.M_ME_TF_1, report_ms=1000)
    for i in range(count)
]
server.start()
print("ready", flush=True)
while True:
    for point in points:
        point.value = random.random()
    time.sleep(1)
