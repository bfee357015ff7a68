import { createLimit, isCallError } from "@sealhouse/http-responses/outgoing";
import type { CallError, Limit } from "@sealhouse/http-responses/outgoing";
import type { PackageSource } from "../sources/package-source.ts";
import type { Breaker } from "./breaker.ts";
import { createBreaker } from "./breaker.ts";
import type { SourceState } from "./ports.ts";
import { UpstreamUnavailableError } from "./upstream-error.ts";

/** State of a source in this process. */
export type CallState = SourceState & {
  /** Milliseconds for which it is not asked, after failures. */
  readonly pausedForMs: number;
  readonly calls: number;
  readonly failedCalls: number;
};

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
  ): Promise<T>;
  /** By name of the source. */
  states(): ReadonlyMap<string, CallState>;
};

const RETRY_AFTER_MS = 10_000;
const TOO_MANY_MS = 60_000;

type Line = {
  readonly breaker: Breaker;
  readonly limit: Limit;
  calls: number;
  failedCalls: number;
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
      limit: createLimit(settings.maxConnections),
      calls: 0,
      failedCalls: 0,
      state: {},
    };
    lines.set(name, line);
    return line;
  };
  return {
    async run(source, signal, call) {
      const line = lineOf(source);
      const pausedMs = line.breaker.openForMs();
      if (pausedMs > 0) {
        const reason = `is not asked for ${Math.ceil(pausedMs / 1000)} s, because it keeps failing`;
        throw new UpstreamUnavailableError(source.name, reason, Math.ceil(pausedMs / 1000));
      }
      line.calls += 1;
      try {
        const result = await line.limit(() => call(signal));
        line.breaker.succeeded();
        line.state = { ...line.state, lastSuccessAt: now() };
        return result;
      } catch (error) {
        if (!isCallError(error)) throw error;
        line.failedCalls += 1;
        line.state = { ...line.state, lastErrorAt: now(), lastError: error.message };
        if (isOutage(error)) line.breaker.failed(pauseOf(error));
        onFailure({ source: source.name, error });
        const waitMs = error.retryAfterMs ?? RETRY_AFTER_MS;
        const retryAfterSeconds = Math.ceil(waitMs / 1000);
        throw new UpstreamUnavailableError(source.name, wordsOf(error), retryAfterSeconds, error);
      }
    },
    states: () =>
      new Map(
        [...lines].map(([name, { breaker, calls, failedCalls, state }]) => [
          name,
          { ...state, pausedForMs: breaker.openForMs(), calls, failedCalls },
        ]),
      ),
  };
}

/** Whether other calls are likely to fail as well. A refusal may concern one package. */
function isOutage({ code }: CallError): boolean {
  return code === "unreachable";
}

function pauseOf({ status, retryAfterMs }: CallError): number | undefined {
  return status === 429 ? (retryAfterMs ?? TOO_MANY_MS) : undefined;
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
