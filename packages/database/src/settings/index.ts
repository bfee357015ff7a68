export { placeOf } from "../place.ts";
export { parseDatabase } from "./parse-database.ts";
export type { DatabaseStart } from "./parse-database.ts";
export { DATABASE_SETTINGS } from "./table.ts";
