export { VAULT_SETTINGS } from "./table.ts";
