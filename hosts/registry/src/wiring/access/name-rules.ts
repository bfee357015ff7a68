import type { Database } from "@sealhouse/database";
import type { NameRules, OwnerRefusal } from "@sealhouse/identity";
import type { Log } from "../../log.ts";
import type { Config } from "../../settings/config.ts";

type NameRuleParts = {
  readonly config: Pick<Config, "host">;
  readonly database: Pick<Database, "ownership" | "events">;
  readonly log: Log;
  readonly now: () => Date;
};

const AGAIN_AFTER_MS = 24 * 60 * 60_000;
const REMEMBERED_MAX = 10_000;

/** Returns how owners decide about requests; undefined when they do not. */
export function openNameRules(parts: NameRuleParts): NameRules | undefined {
  const { config, database } = parts;
  const { owners: mode, newNames } = config.host.access;
  if (mode === "off") return undefined;
  const { ownerships } = database.ownership;
  return { mode, newNames, ownerships, report: createReport(parts) };
}

/** Writes an event of each caller, name and action that owners would refuse, once a day. */
function createReport({ database, log, now }: NameRuleParts): NameRules["report"] {
  const reported = new Map<string, number>();
  return (refusal) => {
    const { caller, protocol, name, action, reason } = refusal;
    const key = JSON.stringify([caller.actor, protocol, name, action]);
    const time = now().getTime();
    if (time - (reported.get(key) ?? Number.NEGATIVE_INFINITY) < AGAIN_AFTER_MS) return;
    if (reported.size >= REMEMBERED_MAX) reported.clear();
    reported.set(key, time);
    log.warn({ actor: caller.actor, protocol, name, action, reason }, "owners would refuse this");
    void write(database, refusal).catch((error: unknown) =>
      log.warn({ err: error, name }, "could not write an event of a request owners would refuse"),
    );
  };
}

function write(
  { events }: Pick<Database, "events">,
  { caller, protocol, name, action, reason }: OwnerRefusal,
): Promise<void> {
  const subject = `${protocol}/${name}`;
  return events.record([
    { type: "access.would-refuse", subject, caller, detail: { action, reason } },
  ]);
}
