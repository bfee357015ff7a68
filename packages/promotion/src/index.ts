export type { Release } from "./release/release.ts";
export { runRelease } from "./release/run-release.ts";
export { openPublisher } from "./target/open-publisher.ts";
export { probeTarget } from "./target/probe-target.ts";
export { openTargetFetch } from "./target/target-fetch.ts";
export { verifyStatement } from "./statement/verify-statement.ts";
export { statementFiles } from "./statement/export-statement.ts";
