import type { Database } from "@sealhouse/database";
import { openOutgoingFetch } from "@sealhouse/http-server";
import { createLeakReports, createScannerKeys } from "@sealhouse/identity";
import type { Authenticator } from "@sealhouse/identity";
import type { RequestContexts } from "@sealhouse/http-server";
import { answerLeakReport } from "../../http/leaked-tokens.ts";
import type { AnswerLeakReport } from "../../http/leaked-tokens.ts";
import type { Log } from "../../log.ts";
import type { Config } from "../../settings/config.ts";

/** Opens the reports of leaked tokens, with the keys of the configured secret scanner. */
export function openLeakReports(parts: {
  readonly config: Pick<Config, "host">;
  readonly database: Pick<Database, "tokens">;
  readonly authenticator: Authenticator;
  readonly pepper: string;
  readonly contexts: Pick<RequestContexts, "of">;
  readonly log: Log;
  readonly now: () => Date;
}): AnswerLeakReport {
  const { config, database, authenticator, pepper, contexts, log, now } = parts;
  const url = config.host.leakedTokens.publicKeysUrl;
  const handle = createLeakReports({
    tokens: database.tokens,
    authenticator,
    pepper,
    now,
    keys:
      url === undefined
        ? undefined
        : createScannerKeys({ url, fetch: openOutgoingFetch(config.host), now }),
    onError: (error) =>
      log.warn({ err: error, url }, "could not read the keys of the secret scanner; will retry"),
  });
  return answerLeakReport({ handle, contexts });
}
