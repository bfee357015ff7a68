import type { Patience } from "@sealhouse/http-responses/outgoing";

/** Attempts of calls that a client waits for: two, with a pause of at most two seconds. */
export const PATIENCE: Patience = { attemptsMax: 2, waitMaxMs: 2_000 };
