// Starts the screens: the clock, the address, the session, then the page.
import { render } from "preact";
import { App, startApp } from "./shell/app.tsx";
import { runClock } from "./frame/clock.ts";
import { followFill } from "./frame/fill.ts";
import { followAddress } from "./frame/place.ts";
import { startLive } from "./frame/live.ts";
import { followScheme } from "./frame/scheme.ts";

runClock();
followScheme();
followAddress();
startLive();
followFill();
startApp();
const screen = document.querySelector("#screen")!;
screen.replaceChildren();
render(<App />, screen);
