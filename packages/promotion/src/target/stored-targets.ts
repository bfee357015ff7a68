import type { KeyRing } from "@sealhouse/identity";
import type { Caller, Protocol } from "@sealhouse/request-types";
import type { TargetPage, TargetRow, TargetRows } from "./ports.ts";
import { TARGET_DEFAULTS } from "../model/publish-target.ts";
import type { PublishTarget, TargetCredentials, TargetOptions } from "../model/publish-target.ts";

/** Targets in the database, with readable credentials. */
export type StoredTargets = {
  list(page?: TargetPage): Promise<readonly PublishTarget[]>;
  find(name: string): Promise<PublishTarget | undefined>;
  /** Adds the target, or replaces the one with its name. */
  put(target: PublishTarget, caller: Caller): Promise<void>;
  remove(name: string, caller: Caller): Promise<"removed" | "used" | "running" | "absent">;
  pause(name: string, reason: string, caller: Caller): Promise<boolean>;
  resume(name: string, caller: Caller): Promise<boolean>;
};

const PURPOSE = "publish-target-credentials";

/** Opens the targets of a database. The key ring encrypts their credentials. */
export function openStoredTargets(
  rows: TargetRows,
  keyRing: Pick<KeyRing, "protect" | "unprotect">,
): StoredTargets {
  return {
    list: async (page) => Promise.all((await rows.list(page)).map((row) => targetOf(row, keyRing))),
    async find(name) {
      const row = await rows.find(name);
      return row && targetOf(row, keyRing);
    },
    put: (target, caller) => rows.put(rowOf(target, keyRing), caller),
    remove: (name, caller) => rows.remove(name, caller),
    pause: (name, reason, caller) => rows.pause(name, reason, caller),
    resume: (name, caller) => rows.pause(name, undefined, caller),
  };
}

function rowOf(target: PublishTarget, keyRing: Pick<KeyRing, "protect">): TargetRow {
  const { name, protocol, endpoint, credentials, expiresAt, pause, options } = target;
  const { lastSuccessAt } = target;
  const changed = Object.entries(options).filter(
    ([option, value]) =>
      JSON.stringify(value) !== JSON.stringify(TARGET_DEFAULTS[option as keyof TargetOptions]),
  );
  return {
    name,
    protocol,
    endpoint: endpoint.href,
    ...(expiresAt && { expiresAt }),
    ...(pause && { pausedAt: pause.at, pauseReason: pause.reason }),
    ...(lastSuccessAt && { lastSuccessAt }),
    options: JSON.stringify(Object.fromEntries(changed)),
    ...(credentials && {
      credentials: keyRing.protect(PURPOSE, Buffer.from(JSON.stringify(credentials))),
    }),
  };
}

/** The database holds what `rowOf` made. */
async function targetOf(
  row: TargetRow,
  keyRing: Pick<KeyRing, "unprotect">,
): Promise<PublishTarget> {
  const { name, endpoint, credentials, expiresAt, pausedAt, pauseReason = "", options } = row;
  const { lastSuccessAt } = row;
  const plain =
    credentials && (await keyRing.unprotect(PURPOSE, credentials).catch(() => undefined));
  return {
    name,
    protocol: row.protocol as Protocol,
    endpoint: new URL(endpoint),
    ...(expiresAt && { expiresAt }),
    ...(pausedAt && { pause: { at: pausedAt, reason: pauseReason } }),
    ...(lastSuccessAt && { lastSuccessAt }),
    options: { ...TARGET_DEFAULTS, ...(JSON.parse(options) as Partial<TargetOptions>) },
    hasLostCredentials: credentials !== undefined && plain === undefined,
    ...(plain && {
      credentials: JSON.parse(Buffer.from(plain).toString()) as TargetCredentials,
    }),
  };
}
