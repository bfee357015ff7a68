import { createHash } from "node:crypto";
import { extname } from "node:path";
import { Worker } from "node:worker_threads";
import { createRecentReadmes } from "./recent-readmes.ts";
import type { RenderedReadme } from "./rendered-readme.ts";

export type ReadmeRenderer = (markdown: string) => Promise<RenderedReadme>;

export type ReadmeLimits = {
  /** From the start of the thread; default 2 seconds. */
  readonly timeoutMs?: number;
  /** Characters of a result; default 4 Mi. */
  readonly lengthMax?: number;
  /** Renderings at once; default 1. Further ones wait their turn. */
  readonly concurrencyMax?: number;
  /** Renderings that wait; default 5. Beyond, readmes are shown as they are. */
  readonly waitingMax?: number;
  /** Characters of results that are remembered; default 8 Mi. */
  readonly rememberedMax?: number;
  /** How long a failure is remembered, which may have come of a busy machine; default 1 minute. */
  readonly failureMs?: number;
};

const MIB = 1024 * 1024;
/** Enough for readmes of a third of a mebibyte. */
const THREAD_LIMITS = { maxOldGenerationSizeMb: 48, maxYoungGenerationSizeMb: 8 } as const;
const WORKER = new URL(`./markdown-worker${extname(import.meta.url)}`, import.meta.url);

/**
 * Renders each readme in a thread of its own and ends the thread when time or memory is up, so
 * that no text, however it was made, holds up the service. Results are remembered by their text,
 * failures for a while.
 */
export function createReadmeRenderer(limits: ReadmeLimits = {}): ReadmeRenderer {
  const {
    concurrencyMax = 1,
    waitingMax = 5,
    rememberedMax = 8 * MIB,
    failureMs = 60_000,
  } = limits;
  const remembered = createRecentReadmes({ lengthMax: rememberedMax, failureMs });
  const running = new Map<string, Promise<RenderedReadme>>();
  const waiting: (() => void)[] = [];
  let active = 0;

  const turn = async (): Promise<void> => {
    if (active >= concurrencyMax) await new Promise<void>((resolve) => waiting.push(resolve));
    else active += 1;
  };
  const done = (): void => {
    const next = waiting.shift();
    if (next) next();
    else active -= 1;
  };
  const render = async (key: string, markdown: string): Promise<RenderedReadme> => {
    await turn();
    try {
      const rendered = await renderInThread(markdown, limits);
      remembered.add(key, rendered);
      return rendered;
    } finally {
      done();
    }
  };

  return async (markdown) => {
    const key = createHash("sha256").update(markdown).digest("base64");
    const known = remembered.get(key) ?? running.get(key);
    if (known) return known;
    const isFull = active >= concurrencyMax && waiting.length >= waitingMax;
    if (isFull) return { status: "plain", reason: "busy" };
    const rendering = render(key, markdown).finally(() => running.delete(key));
    running.set(key, rendering);
    return rendering;
  };
}

async function renderInThread(
  markdown: string,
  { timeoutMs = 2_000, lengthMax = 4 * MIB }: ReadmeLimits,
): Promise<RenderedReadme> {
  const worker = new Worker(WORKER, {
    workerData: markdown,
    // What a thread writes is nobody's to read, and it needs nothing of the environment.
    env: {},
    stdin: false,
    stdout: true,
    stderr: true,
    resourceLimits: THREAD_LIMITS,
  });
  worker.unref();
  const { promise, resolve } = Promise.withResolvers<string | undefined>();
  const timer = setTimeout(() => resolve(undefined), timeoutMs);
  worker.once("message", (html: unknown) => resolve(typeof html === "string" ? html : undefined));
  worker.once("error", () => resolve(undefined));
  worker.once("exit", () => resolve(undefined));
  try {
    const html = await promise;
    const isUsable = html !== undefined && html.length <= lengthMax;
    return isUsable ? { status: "html", html } : { status: "plain", reason: "too-complex" };
  } finally {
    clearTimeout(timer);
    await worker.terminate();
  }
}
