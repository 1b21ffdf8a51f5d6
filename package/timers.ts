// The timers of Node, by the names that packages know them by: for the bundle of the program.
export {
  clearImmediate,
  clearInterval,
  clearTimeout,
  setImmediate,
  setInterval,
  setTimeout,
} from "node:timers";
