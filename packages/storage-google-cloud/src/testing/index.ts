export { openStore, settingsFor } from "./google-store.ts";
export { startGoogleStorage } from "./google-storage-stand-in.ts";
export type { GoogleStorageStandIn, StandInOptions } from "./google-storage-stand-in.ts";
