// A real broker, mosquitto, on a port of its own, and a client that publishes to it.
import { Buffer } from "node:buffer";
import { generate, parser } from "mqtt-packet";
import { settle } from "./receiver.ts";
