import { setTimeout as pause } from "node:timers/promises";

type Row = {
  readonly state: string;
  readonly reason?: string | undefined;
  readonly endedAt?: Date | undefined;
  readonly attemptsSince: Date;
  readonly items: readonly {
    readonly id: string;
    readonly state: string;
    readonly attempts: number;
    readonly note?: string | undefined;
  }[];
};

type Releases = { find(id: string): Promise<Row | undefined> };

export type StreamTimes = {
  readonly lookEveryMs: number;
  /** The browser asks again then, and its rights are checked again. */
  readonly lifeMs: number;
};

const TIMES: StreamTimes = { lookEveryMs: 1_000, lifeMs: 60_000 };
/** Streams of one process at once. */
const STREAMS_MAX = 100;
/** Milliseconds that a browser waits before it asks again. */
const RETRY_MS = 1_000;

let streams = 0;

/**
 * Sends an event after each change of a release, until it ends or the stream is a minute old.
 * Undefined without such a release.
 */
export async function releaseStream(
  releases: Releases,
  id: string,
  gone: AbortSignal,
  times = TIMES,
): Promise<Response | undefined> {
  const first = await releases.find(id);
  if (!first) return undefined;
  if (streams >= STREAMS_MAX) return new Response("Too many pages are open.", { status: 503 });
  streams += 1;
  const left = new AbortController();
  const signal = AbortSignal.any([gone, left.signal]);
  const body = new ReadableStream<Uint8Array>({
    async start(controller) {
      const send = (text: string) => controller.enqueue(Buffer.from(text));
      try {
        send(`retry: ${RETRY_MS}\n\n`);
        await follow(releases, { id, first, send, signal, times });
        controller.close();
      } catch (error) {
        // A browser that left hears nothing; others ask again.
        if (!signal.aborted) controller.error(error);
      } finally {
        streams -= 1;
      }
    },
    cancel: () => left.abort(),
  });
  const headers = { "content-type": "text/event-stream", "cache-control": "no-store" };
  return new Response(body, { headers });
}

async function follow(
  releases: Releases,
  {
    id,
    first,
    send,
    signal,
    times,
  }: {
    readonly id: string;
    readonly first: Row;
    readonly send: (text: string) => void;
    readonly signal: AbortSignal;
    readonly times: StreamTimes;
  },
): Promise<void> {
  const end = performance.now() + times.lifeMs;
  let shown: string | undefined;
  for (let row: Row | undefined = first; row && performance.now() < end;) {
    const state = stateOf(row);
    // The page may be older than the first look.
    send(state === shown ? ": still\n\n" : "data: changed\n\n");
    shown = state;
    if (row.endedAt) return;
    await pause(times.lookEveryMs, undefined, { signal });
    row = await releases.find(id);
  }
}

function stateOf({ state, reason, attemptsSince, items }: Row): string {
  const parts = items.map((item) => [item.id, item.state, item.attempts, item.note]);
  return JSON.stringify([state, reason, attemptsSince, parts]);
}
