export { parseNpm } from "./parse-npm.ts";
export type { NpmConfig } from "./parse-npm.ts";
export { NPM_SETTINGS } from "./table.ts";
