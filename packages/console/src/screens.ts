import type { Screens } from "./actions/screens-app.ts";
import { KEY_SCREEN } from "./api-keys/api-key-screen.ts";
import { KEYS_SCREEN } from "./api-keys/api-keys-screen.ts";
import { newKey } from "./api-keys/new-key.ts";
import { GROUP_SCREENS } from "./publishing/groups-screen.ts";
import { RELEASE_EVENTS, RELEASE_SCREEN } from "./publishing/release-screen.ts";
import { RELEASE_LISTS } from "./publishing/releases-screen.ts";
import { testedTarget } from "./publishing/target-outputs.ts";
import { TARGET_SCREENS } from "./publishing/targets-screen.ts";
import { RULES_SCREEN } from "./rules/rules-screen.ts";

/** The screens of administrators. */
export const SCREENS: Screens = {
  screens: [
    KEYS_SCREEN,
    KEY_SCREEN,
    ...TARGET_SCREENS,
    ...GROUP_SCREENS,
    ...RELEASE_LISTS,
    RELEASE_SCREEN,
    RELEASE_EVENTS,
    RULES_SCREEN,
  ],
  outputs: {
    "tokens.create": newKey,
    "tokens.replace": newKey,
    "targets.test": testedTarget,
  },
};
