export { createMemoryMirrorPorts } from "./memory-mirror-ports.ts";
export type { MemoryMirrorPorts } from "./memory-mirror-ports.ts";
export { mirrorPortsContract } from "./mirror-ports-contract.ts";
export type { MirrorPorts, MirrorPortsTest } from "./mirror-ports-contract.ts";
export type { MemoryParts } from "./memory-parts.ts";
export { memoryParts, testSource } from "./memory-parts.ts";
export type { Resource, ScriptedFeed, ScriptedVersion } from "./scripted-feed.ts";
export { openScriptedFeed } from "./scripted-feed.ts";
