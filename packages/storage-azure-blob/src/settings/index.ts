export { AZURE_BLOB_SETTINGS } from "./table.ts";
