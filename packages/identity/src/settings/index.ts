export { parseKeyRing } from "./parse-key-ring.ts";
export type { KeyRingConfig } from "./parse-key-ring.ts";
export { parsePepper } from "./parse-pepper.ts";
export { parseTrustedPublishing } from "./parse-trusted-publishing.ts";
export type { TrustedPublishingConfig } from "./parse-trusted-publishing.ts";
export { IDENTITY_SETTINGS } from "./table.ts";
export { TRUSTED_PUBLISHING_SETTINGS } from "./trusted-publishing-table.ts";
