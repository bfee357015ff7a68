import { createHash } from "node:crypto";
import { extname } from "node:path";
import { Worker } from "node:worker_threads";
import type { RenderedReadme } from "./rendered-readme.ts";

export type ReadmeRenderer = (markdown: string) => Promise<RenderedReadme>;

export type ReadmeLimits = {
  /** From the start of the thread; default 2 seconds. */
  readonly timeoutMs?: number;
  /** Characters of a result; default 4 Mi. */
  readonly lengthMax?: number;
  /** Renderings at once; default 2. Further ones wait their turn. */
  readonly concurrencyMax?: number;
  /** Renderings that wait; default 20. Beyond, readmes are shown as they are. */
  readonly waitingMax?: number;
  /** Characters of results that are remembered; default 8 Mi. */
  readonly rememberedMax?: number;
};

const MIB = 1024 * 1024;
const THREAD_MIB_MAX = 64;
/** Small things cost memory too. */
const ENTRY_OVERHEAD = 1024;
const WORKER = new URL(`./markdown-worker${extname(import.meta.url)}`, import.meta.url);

/**
 * Renders each readme in a thread of its own and ends the thread when time or memory is up, so
 * that no text, however it was made, holds up the service. Results are remembered by their text,
 * failures too.
 */
export function createReadmeRenderer(limits: ReadmeLimits = {}): ReadmeRenderer {
  const { concurrencyMax = 2, waitingMax = 20, rememberedMax = 8 * MIB } = limits;
  const remembered = createMemory(rememberedMax);
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
    resourceLimits: { maxOldGenerationSizeMb: THREAD_MIB_MAX, maxYoungGenerationSizeMb: 16 },
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

/** The latest results up to a size; what was not asked for longest goes first. */
function createMemory(lengthMax: number) {
  const entries = new Map<string, RenderedReadme>();
  let length = 0;
  const remove = (key: string): void => {
    const known = entries.get(key);
    if (!known) return;
    entries.delete(key);
    length -= lengthOf(known);
  };
  return {
    get(key: string): RenderedReadme | undefined {
      const known = entries.get(key);
      if (!known) return undefined;
      entries.delete(key);
      entries.set(key, known);
      return known;
    },
    add(key: string, rendered: RenderedReadme): void {
      if (lengthOf(rendered) > lengthMax) return;
      remove(key);
      entries.set(key, rendered);
      length += lengthOf(rendered);
      for (const oldest of entries.keys()) {
        if (length <= lengthMax) return;
        remove(oldest);
      }
    },
  };
}

function lengthOf(rendered: RenderedReadme): number {
  return ENTRY_OVERHEAD + (rendered.status === "html" ? rendered.html.length : 0);
}
