export { runAtHost } from "./host-program.ts";
export { listenForCommands } from "./host-socket.ts";
export type { HostActions } from "./host-socket.ts";
export { hostSocketOf } from "./host-socket-path.ts";
export type { HostCall, Introduction } from "./lines.ts";
