export { parseLocalCache } from "./parse-local-cache.ts";
export type { LocalCacheConfig } from "./parse-local-cache.ts";
export { parseMirror } from "./parse-mirror.ts";
export type { MirrorConfig } from "./parse-mirror.ts";
export { parseUpstreamSearch } from "./parse-search.ts";
export type { UpstreamSearchConfig } from "./parse-search.ts";
export { sourceSurroundings } from "./source-surroundings.ts";
export type { FeedOfSources } from "./source-surroundings.ts";
export { UPSTREAM_SETTINGS } from "./table.ts";
