export { parseSigning } from "./parse-signing.ts";
export { SIGNING_SETTINGS } from "./table.ts";
