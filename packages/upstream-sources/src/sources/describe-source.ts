import type { SourceState } from "../mirror/ports.ts";
import { recentOf } from "../mirror/calls/recent-errors.ts";
import type { PackageSource } from "./package-source.ts";

/** `replaced`: a configured source while there are sources in the database. */
export type SourceStatus = "disabled" | "failing" | "paused" | "replaced" | "unused" | "works";

/** A source as people and programs see it: without secrets. */
export type SourceDescription = {
  readonly name: string;
  readonly protocol: string;
  readonly url: string;
  readonly type: string;
  readonly priority: number;
  readonly surface?: string;
  readonly strategy: string;
  readonly signaturePolicy: string;
  /** The kind of credentials. */
  readonly credentials: string;
  readonly allow: readonly string[];
  readonly deny: readonly string[];
  readonly from: PackageSource["from"];
  readonly status: SourceStatus;
  readonly lastSuccessAt?: string;
  readonly lastErrorAt?: string;
  readonly lastError?: string;
  /** The calls of the last hour that failed, the newest first. */
  readonly recentErrors: readonly { readonly at: string; readonly words: string }[];
  readonly pausedUntil?: string;
};

/** Describes a source with its state, without secrets. */
export function describeSource(
  source: PackageSource,
  {
    state = {},
    now,
    isReplaced,
  }: {
    readonly state?: SourceState | undefined;
    readonly now: Date;
    readonly isReplaced: boolean;
  },
): SourceDescription {
  const { url, credentials, settings, isEnabled: _, ...parts } = source;
  const { lastSuccessAt, lastErrorAt, lastError, pausedUntil } = state;
  const status = isReplaced ? "replaced" : statusOf(source, state, now);
  return {
    ...parts,
    url: url.href,
    credentials: credentials?.type ?? "none",
    allow: settings.allow,
    deny: settings.deny,
    status,
    ...(lastSuccessAt && { lastSuccessAt: lastSuccessAt.toISOString() }),
    ...(lastErrorAt && { lastErrorAt: lastErrorAt.toISOString() }),
    ...(lastError !== undefined && { lastError }),
    recentErrors: recentOf(state.recentErrors ?? [], now).map(({ at, words }) => ({
      at: at.toISOString(),
      words,
    })),
    ...(status === "paused" && pausedUntil && { pausedUntil: pausedUntil.toISOString() }),
  };
}

function statusOf(
  { isEnabled }: PackageSource,
  { lastSuccessAt, lastErrorAt, pausedUntil }: SourceState,
  now: Date,
): SourceStatus {
  if (!isEnabled) return "disabled";
  if (pausedUntil && pausedUntil > now) return "paused";
  if (!lastSuccessAt && !lastErrorAt) return "unused";
  return lastErrorAt && (!lastSuccessAt || lastErrorAt > lastSuccessAt) ? "failing" : "works";
}
