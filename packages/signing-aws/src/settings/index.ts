export { AWS_KMS_SETTINGS, AWS_SIGNER_SETTINGS } from "./table.ts";
