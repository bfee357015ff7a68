/** An answer that was sent. */
export type KeptAnswer = { readonly status: number; readonly body: string };

/** A request with an idempotency key. */
export type KeyedRequest = {
  /** Hash of caller, action and key. */
  readonly id: string;
  /** Hash of the input. */
  readonly input: string;
};

/** Answers of requests with an idempotency key, which all instances share. */
export interface IdempotentAnswers {
  /**
   * Forgets answers that are older than `KEPT_HOURS`, and notes that a request begins. `new`: it
   * may run. `running`: the same request runs now, or its
   * process ended. `other`: the key belongs to a request with another input.
   */
  begin(
    request: KeyedRequest,
    now: Date,
  ): Promise<
    | { readonly status: "new" | "running" | "other" }
    | { readonly status: "done"; readonly answer: KeptAnswer }
  >;
  /** Keeps the answer. Undefined: the request was refused, and its key may be used again. */
  end(request: KeyedRequest, answer: KeptAnswer | undefined): Promise<void>;
}

/** Hours for which an answer is kept. */
export const KEPT_HOURS = 24;
