export type Outgoing = {
  readonly method: "HEAD" | "GET" | "PUT" | "POST" | "DELETE";
  readonly url: URL;
  /** Names in lower case. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Called once per hop, so that a redirected upload can start again. */
  readonly body?: () => AsyncIterable<Uint8Array>;
  readonly signal?: AbortSignal | undefined;
  /** Timeout of the whole call. */
  readonly timeoutMs?: number;
};
