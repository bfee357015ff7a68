import type { Database } from "@sealhouse/database";
import { reportRefusals } from "@sealhouse/identity";
import type { NameRules } from "@sealhouse/identity";
import type { Log } from "../../log.ts";
import type { Config } from "../../settings/config.ts";

type NameRuleParts = {
  readonly config: Pick<Config, "host">;
  readonly database: Pick<Database, "ownership" | "events">;
  readonly log: Log;
  readonly now: () => Date;
};

/** Returns how owners decide about requests; undefined when they do not. */
export function openNameRules(parts: NameRuleParts): NameRules | undefined {
  const { config, database } = parts;
  const { owners: mode, newNames } = config.host.access;
  if (mode === "off") return undefined;
  const { ownerships } = database.ownership;
  return { mode, newNames, ownerships, report: reportRefusals({ ...parts, ...database }) };
}
