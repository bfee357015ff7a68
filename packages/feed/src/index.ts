export type { FeedAccess } from "./access.ts";
export { createHashableFiles } from "./hashable-files.ts";
export { confirmedBlobs, imageFiles } from "./image-files.ts";
export { openFeed } from "./open-feed.ts";
export type { Feed, FeedOptions } from "./open-feed.ts";
export { storedPackages } from "./stored-packages.ts";
