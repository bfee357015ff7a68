export { AWS_S3_SETTINGS } from "./table.ts";
