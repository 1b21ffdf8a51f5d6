// The text of the metrics, as Prometheus reads it.
import { equal } from "node:assert/strict";
import { Metrics } from "../../../src/http/frame/metrics.ts";

Deno.test("counters, durations and gauges are printed one after the other", async () => {
  const metrics = new Metrics();
  metrics.countRequest({ route: "a", status: 200, ending: "complete", duration_ms: 4 });
  metrics.countRequest({ route: "a", status: 200, ending: "complete", duration_ms: 5 });
  metrics.countRequest({ route: "a", status: 404, ending: "complete", duration_ms: 61_000 });
  metrics.gauge("rows", "How many.", () => Promise.resolve({ "": 1.5, 'a "b" \\ \n': 2 }));
  metrics.gauge("none", "Nothing.", () => ({}));
  equal(
    await metrics.print(),
    `# HELP wattkeeper_http_requests_total Answered requests, by route, status and end.
# TYPE wattkeeper_http_requests_total counter
wattkeeper_http_requests_total{route="a",status="200",ending="complete"} 2
wattkeeper_http_requests_total{route="a",status="404",ending="complete"} 1

# HELP wattkeeper_http_request_seconds Time from the header of a request to the end of its answer.
# TYPE wattkeeper_http_request_seconds histogram
wattkeeper_http_request_seconds_bucket{le="0.001",route="a"} 0
wattkeeper_http_request_seconds_bucket{le="0.005",route="a"} 2
wattkeeper_http_request_seconds_bucket{le="0.02",route="a"} 2
wattkeeper_http_request_seconds_bucket{le="0.1",route="a"} 2
wattkeeper_http_request_seconds_bucket{le="0.5",route="a"} 2
wattkeeper_http_request_seconds_bucket{le="2",route="a"} 2
wattkeeper_http_request_seconds_bucket{le="10",route="a"} 2
wattkeeper_http_request_seconds_bucket{le="60",route="a"} 2
wattkeeper_http_request_seconds_bucket{le="+Inf",route="a"} 3
wattkeeper_http_request_seconds_sum{route="a"} 61.009
wattkeeper_http_request_seconds_count{route="a"} 3

# HELP wattkeeper_rows How many.
# TYPE wattkeeper_rows gauge
wattkeeper_rows 1.5
wattkeeper_rows{of="a \\"b\\" \\\\ \\n"} 2

# HELP wattkeeper_none Nothing.
# TYPE wattkeeper_none gauge
`,
  );
});
