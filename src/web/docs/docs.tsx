// Starts what the pages of the documentation can do beside being read: search, and trying requests.
import { render } from "preact";
import { Attempt } from "./attempt.tsx";
import { endpointOf } from "./endpoint.ts";
import { Tools } from "./tools.tsx";

// A link to an endpoint from before each area had a page goes on to that page.
const target = location.hash && document.getElementById(location.hash.slice(1));
const onward = target && target.matches("nav li") ? target.querySelector("a") : null;
if (onward) location.replace(onward.href);

render(<Tools />, document.querySelector("#tools")!);
for (const section of document.querySelectorAll<HTMLElement>("section[data-method]")) {
  const endpoint = endpointOf(section);
  if (endpoint === undefined) continue;
  const place = document.createElement("div");
  section.append(place);
  render(<Attempt endpoint={endpoint} />, place);
}
