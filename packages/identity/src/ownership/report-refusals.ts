import { BoundedCache } from "@sealhouse/bounded-cache";
import type { Caller } from "@sealhouse/request-types";
import type { NameRules, OwnerRefusal } from "./name-rules.ts";

const AGAIN_AFTER_MS = 24 * 60 * 60_000;
const REMEMBERED_MAX = 10_000;

/** Dependencies of `reportRefusals`. */
export type ReportParts = {
  readonly events: { record(events: readonly WouldRefuse[]): Promise<void> };
  readonly log: { warn(fields: object, message: string): void };
  readonly now: () => Date;
};

/** Event of a request that owners would refuse. */
type WouldRefuse = {
  readonly type: "access.would-refuse";
  readonly subject: string;
  readonly caller: Caller;
  readonly detail: { readonly action: string; readonly reason: string };
};

/** Writes an event of each caller, name and action that owners would refuse, once a day. */
export function reportRefusals({ events, log, now }: ReportParts): NameRules["report"] {
  const age = { maxMs: AGAIN_AFTER_MS, now: () => now().getTime() };
  const reported = new BoundedCache<string, true>({ entries: REMEMBERED_MAX, age });
  return (refusal) => {
    const { caller, protocol, name, action, reason } = refusal;
    const key = JSON.stringify([caller.actor, protocol, name, action]);
    if (reported.has(key)) return;
    reported.set(key, true);
    log.warn({ actor: caller.actor, protocol, name, action, reason }, "owners would refuse this");
    void events.record([eventOf(refusal)]).catch((error: unknown) => {
      log.warn({ err: error, name }, "could not write an event of a request owners would refuse");
    });
  };
}

function eventOf({ caller, protocol, name, action, reason }: OwnerRefusal): WouldRefuse {
  const subject = `${protocol}/${name}`;
  return { type: "access.would-refuse", subject, caller, detail: { action, reason } };
}
