import {
  TransientError,
  createExchange,
  isPassingStatus,
  withRetries,
} from "@sealhouse/http-responses/outgoing";
import type {
  Answer,
  CallOptions,
  Fetch,
  Outgoing,
  Patience,
  RetryOptions,
} from "@sealhouse/http-responses/outgoing";
import type { Authenticator, Credentials } from "./authenticator.ts";
import { basicOf, createAuthenticator } from "./authenticator.ts";
import { failure } from "./client-error.ts";

export type RegistryRequest = Omit<Outgoing, "url" | "timeoutMs"> & {
  /** Below the registry: `/v2/team/app/tags/list?n=100`. Or an address that it gave. */
  readonly target: string | URL;
  /** Scopes of the token. */
  readonly scopes: readonly string[];
  /** Bytes of unknown number come or go, for which only standing still is too long. */
  readonly isTransfer?: boolean;
  /** Whether the registry gets the credentials themselves, and no token. */
  readonly isPlain?: boolean;
  /** Whether an answer counts although its status may change on a retry. */
  readonly isFinal?: (answer: Answer) => boolean;
};

/** Calls to one registry, with authentication. */
export type RegistryCaller = {
  readonly registry: URL;
  readonly authenticator: Authenticator;
  readonly retry: RetryOptions;
  /** One call; a 401 is answered with credentials once. Throws `TransientError` for 429 and
   * such. */
  once(request: RegistryRequest): Promise<Answer>;
  /** The same, tried again when it fails in a way that passes. */
  call(request: RegistryRequest): Promise<Answer>;
  /** `work` may run again from its start. */
  again<T>(target: string | URL, work: () => Promise<T>, options: CallOptions): Promise<T>;
};

export type CallerOptions = {
  readonly registry: URL;
  readonly fetch: Fetch;
  readonly credentials: Credentials | undefined;
  readonly tokenRealms?: ReadonlySet<string> | undefined;
  readonly patience?: Patience | undefined;
  readonly userAgent: string;
  readonly documentTimeoutMs: number;
  readonly idleTimeoutMs: number;
  readonly now: () => Date;
  readonly wait: RetryOptions["wait"];
};

export function createCaller(options: CallerOptions): RegistryCaller {
  const { registry, documentTimeoutMs: timeoutMs, now, wait } = options;
  const send = senderOf(options);
  const authenticator = createAuthenticator({ ...options, send, timeoutMs });
  const retry: RetryOptions = { wait, now, failure, patience: options.patience };
  const addressOf = (target: string | URL) => new URL(target, registry);

  const once = async (request: RegistryRequest): Promise<Answer> => {
    const { target, scopes, isTransfer = false, isPlain = false, isFinal, ...rest } = request;
    const outgoing = { ...rest, url: addressOf(target), ...(!isTransfer && { timeoutMs }) };
    const isHome = outgoing.url.origin === registry.origin;
    const attempt = async () => {
      if (!isHome) return send(outgoing, undefined);
      if (isPlain) return send(outgoing, basicOf(options.credentials));
      return send(outgoing, await authenticator.header(scopes, request.signal));
    };
    let answer = await attempt();
    // A challenge of another server, after a redirect, must not cause credentials for the registry.
    const isChallenged = answer.status === 401 && answer.url.origin === registry.origin;
    if (isChallenged && !isPlain && authenticator.learn(answer, scopes)) {
      await answer.cancel();
      answer = await attempt();
    }
    if (!isPassingStatus(answer.status) || isFinal?.(answer)) return answer;
    await answer.cancel();
    throw new TransientError(answer, now());
  };

  const again: RegistryCaller["again"] = (target, work, { signal }) =>
    withRetries(addressOf(target), work, { ...retry, signal });
  return {
    registry,
    authenticator,
    retry,
    once,
    again,
    call: (request) => again(request.target, () => once(request), request),
  };
}

function senderOf({ fetch, registry, userAgent, idleTimeoutMs }: CallerOptions) {
  const isSecure = registry.protocol === "https:";
  return (request: Outgoing, authorization: string | undefined): Promise<Answer> => {
    const exchange = createExchange({
      fetch,
      secrets: () => ({ ...(authorization !== undefined && { authorization }) }),
      origins: new Set([request.url.origin]),
      isSecure,
      userAgent,
      idleTimeoutMs,
      failure,
    });
    // What is packed for the way has another length than its descriptor says.
    return exchange({ ...request, headers: { "accept-encoding": "identity", ...request.headers } });
  };
}
