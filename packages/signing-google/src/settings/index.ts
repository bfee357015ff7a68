export { GCP_HSM_SETTINGS, GCP_KMS_SETTINGS } from "./table.ts";
