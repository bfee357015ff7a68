export { GOOGLE_CLOUD_SETTINGS } from "./table.ts";
