// What the service counts, in the text that Prometheus reads: byte for byte.
import { equal } from "node:assert/strict";
import { Metrics } from "../../../src/http/frame/metrics.ts";

Deno.test("metrics are printed as Prometheus reads them", async () => {
  const metrics = new Metrics();
  let sizes: Readonly<Record<string, number>> = { "": 0.5, 'a "b"\\\n': 2 };
  metrics.gauge("size", "Sizes, by kind.", () => sizes);
  metrics.countRequest({ route: "x", status: 200, ending: "complete", duration_ms: 5 });
  metrics.countRequest({ route: "x", status: 200, ending: "complete", duration_ms: 70_000 });
  equal(
    await metrics.registry.metrics(),
    `# HELP wattkeeper_http_requests_total Answered requests, by route, status and end.
# TYPE wattkeeper_http_requests_total counter
wattkeeper_http_requests_total{route="x",status="200",ending="complete"} 2

# HELP wattkeeper_http_request_seconds Time from the header of a request to the end of its answer.
# TYPE wattkeeper_http_request_seconds histogram
wattkeeper_http_request_seconds_bucket{le="0.001",route="x"} 0
wattkeeper_http_request_seconds_bucket{le="0.005",route="x"} 1
wattkeeper_http_request_seconds_bucket{le="0.02",route="x"} 1
wattkeeper_http_request_seconds_bucket{le="0.1",route="x"} 1
wattkeeper_http_request_seconds_bucket{le="0.5",route="x"} 1
wattkeeper_http_request_seconds_bucket{le="2",route="x"} 1
wattkeeper_http_request_seconds_bucket{le="10",route="x"} 1
wattkeeper_http_request_seconds_bucket{le="60",route="x"} 1
wattkeeper_http_request_seconds_bucket{le="+Inf",route="x"} 2
wattkeeper_http_request_seconds_sum{route="x"} 70.005
wattkeeper_http_request_seconds_count{route="x"} 2

# HELP wattkeeper_size Sizes, by kind.
# TYPE wattkeeper_size gauge
wattkeeper_size 0.5
wattkeeper_size{of="a \\"b\\"\\\\\\n"} 2
`,
  );
  // A label that is read no more keeps its last value.
  sizes = { "": 1 };
  equal(
    (await metrics.registry.metrics()).split("\n").slice(-3).join("\n"),
    'wattkeeper_size 1\nwattkeeper_size{of="a \\"b\\"\\\\\\n"} 2\n',
  );
});
