export { createMemoryMirrorPorts } from "./memory-mirror-ports.ts";
export type { MemoryMirrorPorts } from "./memory-mirror-ports.ts";
export { mirrorPortsContract } from "./mirror-ports-contract.ts";
export type { MirrorPorts, MirrorPortsTest } from "./mirror-ports-contract.ts";
