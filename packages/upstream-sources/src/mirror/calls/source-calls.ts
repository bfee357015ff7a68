import { createLimit, isCallError } from "@sealhouse/http-responses/outgoing";
import type { CallError, Limit } from "@sealhouse/http-responses/outgoing";
import type { PackageSource } from "../../sources/package-source.ts";
import type { SourceState } from "../ports.ts";
import { recentOf } from "./recent-errors.ts";
import { isForbiddenCall, unavailableAfter, UpstreamUnavailableError } from "./upstream-error.ts";

/** State of a source in this process. */
export type CallState = SourceState & {
  /** Milliseconds for which it is not asked about the names that it has, after failures. */
  readonly pausedForMs: number;
  readonly calls: number;
  readonly failedCalls: number;
  /** Whether the registry's own rules forbade the last call. */
  readonly isForbidden?: boolean;
};

/**
 * `isNewName`: the call is about a name that was never found at a source. When the source then asks
 * for a pause (429), only calls about such names pause, and the other way round: questions about
 * names that it never had must not keep its packages away.
 */
export type CallAbout = { readonly isNewName?: boolean };

/** Calls to sources, with their limits of connections and breakers. */
export type SourceCalls = {
  /**
   * Runs one call.
   * @throws UpstreamUnavailableError when the source fails, or has failed too often
   */
  run<T>(
    source: PackageSource,
    signal: AbortSignal,
    call: (signal: AbortSignal) => Promise<T>,
    options?: CallAbout,
  ): Promise<T>;
  /** By name of the source. */
  states(): ReadonlyMap<string, CallState>;
};

const TOO_MANY_MS = 60_000;

type Line = {
  readonly breaker: Breaker;
  /** The pauses that the source asked for, for known and new names. */
  readonly pauses: { readonly known: Pause; readonly new: Pause };
  readonly limit: Limit;
  calls: number;
  failedCalls: number;
  isForbidden: boolean;
  state: SourceState;
};

export function createSourceCalls({
  now,
  onFailure,
}: {
  readonly now: () => Date;
  /** For the log; must not throw. */
  readonly onFailure: (failure: { readonly source: string; readonly error: unknown }) => void;
}): SourceCalls {
  const lines = new Map<string, Line>();
  const lineOf = ({ name, settings }: PackageSource): Line => {
    const line = lines.get(name) ?? {
      breaker: createBreaker(() => now().getTime()),
      pauses: { known: createPause(now), new: createPause(now) },
      limit: createLimit(settings.maxConnections),
      calls: 0,
      failedCalls: 0,
      isForbidden: false,
      state: {},
    };
    lines.set(name, line);
    return line;
  };
  return {
    async run(source, signal, call, { isNewName = false } = {}) {
      const line = lineOf(source);
      const pause = isNewName ? line.pauses.new : line.pauses.known;
      const pausedMs = Math.max(line.breaker.openForMs(), pause.leftMs());
      if (pausedMs > 0) {
        const reason = `is not asked for ${Math.ceil(pausedMs / 1000)} s, because it keeps failing`;
        throw new UpstreamUnavailableError(source.name, reason, Math.ceil(pausedMs / 1000));
      }
      line.calls += 1;
      try {
        const result = await line.limit(() => call(signal));
        line.breaker.succeeded();
        line.isForbidden = false;
        line.state = { ...line.state, lastSuccessAt: now() };
        return result;
      } catch (error) {
        if (!isCallError(error)) throw error;
        line.failedCalls += 1;
        line.isForbidden = isForbiddenCall(error);
        const at = now();
        line.state = {
          ...line.state,
          lastErrorAt: at,
          lastError: error.message,
          recentErrors: recentOf(
            [{ at, words: error.message }, ...(line.state.recentErrors ?? [])],
            at,
          ),
        };
        if (error.status === 429) pause.begin(error.retryAfterMs ?? TOO_MANY_MS);
        else if (isOutage(error)) line.breaker.failed();
        onFailure({ source: source.name, error });
        throw unavailableAfter(source.name, wordsOf(error), error);
      }
    },
    states: () =>
      new Map(
        [...lines].map(([name, { breaker, pauses, calls, failedCalls, isForbidden, state }]) => {
          const pausedForMs = Math.max(breaker.openForMs(), pauses.known.leftMs());
          return [name, { ...state, pausedForMs, calls, failedCalls, isForbidden }];
        }),
      ),
  };
}

/** Whether other calls are likely to fail as well. A refusal may concern one package, and a call
 * that the registry's own rules forbid says nothing about the source. */
function isOutage(error: CallError): boolean {
  return error.code === "unreachable" && !isForbiddenCall(error);
}

/** The reason without the address, which may be private. */
export function wordsOf({ code, status }: CallError): string {
  if (code === "unauthorized") return "refuses the registry's credentials";
  if (code === "malformed") return "answered something that is not the requested document";
  if (code === "mismatch") return "sent bytes that do not have the requested digest";
  if (code === "integrity") return "sent a file with another hash than its document has";
  if (code === "too-large") return "answered with a document that is too large";
  if (code === "refused-address")
    return "named an address that must not be called, or redirects without an end";
  return status === undefined ? "cannot be reached" : `answered with status ${status}`;
}

const PAUSE_MAX_MS = 5 * 60_000;

/** A pause that a source asked for. */
export type Pause = {
  /** Milliseconds until its end; 0 without one. */
  leftMs(): number;
  /** Begins a pause of up to five minutes. */
  begin(ms: number): void;
};

export function createPause(now: () => Date): Pause {
  let until = 0;
  return {
    leftMs: () => Math.max(0, until - now().getTime()),
    begin(ms) {
      until = now().getTime() + Math.min(ms, PAUSE_MAX_MS);
    },
  };
}

const FAILURES_MAX = 5;
const FAILURES_WITHIN_MS = 30_000;
const OPEN_MS = 10_000;
const OPEN_MAX_MS = 5 * 60_000;

/** Stops calls to a source that keeps failing. */
export type Breaker = {
  /** Milliseconds until the next call; 0 when calls are allowed. */
  openForMs(): number;
  succeeded(): void;
  failed(): void;
};

/**
 * Creates a breaker that opens after 5 failures within 30 seconds: for 10 seconds, then twice as
 * long each time, up to 5 minutes. One call is allowed after each pause; its failure opens the
 * breaker again.
 */
export function createBreaker(now: () => number): Breaker {
  let failures: readonly number[] = [];
  let openUntil = 0;
  let pauseMs = OPEN_MS;
  let isOnTrial = false;
  const open = (ms: number) => {
    openUntil = now() + ms;
    failures = [];
    isOnTrial = true;
  };
  return {
    openForMs: () => Math.max(0, openUntil - now()),
    succeeded() {
      failures = [];
      pauseMs = OPEN_MS;
      isOnTrial = false;
    },
    failed() {
      const since = now() - FAILURES_WITHIN_MS;
      failures = [...failures.filter((time) => time > since), now()];
      if (!isOnTrial && failures.length < FAILURES_MAX) return;
      open(pauseMs);
      pauseMs = Math.min(pauseMs * 2, OPEN_MAX_MS);
    },
  };
}
