export type { MemoryParts } from "./memory-parts.ts";
export { memoryParts, testSource } from "./memory-parts.ts";
export type { Resource, ScriptedFeed, ScriptedVersion } from "./scripted-feed.ts";
export { openScriptedFeed } from "./scripted-feed.ts";
