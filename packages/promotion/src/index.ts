export type { Release } from "./release/release.ts";
export { runRelease } from "./release/run-release.ts";
