export type { GoogleKmsStandIn, KmsCall, StandInOptions } from "./google-kms-stand-in.ts";
export { openGoogleKmsStandIn } from "./google-kms-stand-in.ts";
export {
  certificateOf,
  KEY_SETTINGS,
  modeWith,
  openMode,
  openStandIn,
  TEST_INSTANCE,
} from "./google-mode.ts";
export type { KmsMethod, KmsStatus, Misbehaviour, TestVersion } from "./kms-answers.ts";
export { TEST_KEY, testVersion } from "./kms-answers.ts";
