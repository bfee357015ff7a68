import { createHash } from "node:crypto";
import { extname } from "node:path";
import { Worker } from "node:worker_threads";
import { BoundedCache } from "@sealhouse/bounded-cache";
import type { RenderedReadme } from "./readme-text.ts";

/** Renders Markdown as safe HTML. Does not throw: it returns `plain` when a limit is exceeded. */
export type ReadmeRenderer = (markdown: string) => Promise<RenderedReadme>;

/** Limits of a readme renderer. */
export type ReadmeLimits = {
  /** CPU time of the thread in milliseconds; default 2,000. */
  readonly cpuMs?: number;
  /**
   * Milliseconds from the start of the thread, which a busy machine may need for the same CPU time;
   * default 30,000.
   */
  readonly wallMs?: number;
  /** Measures the CPU time of a thread in milliseconds. Undefined = unknown. */
  readonly measureCpu?: (worker: Worker) => Promise<number | undefined>;
  /** Maximum result length in characters; default 4 Mi. */
  readonly lengthMax?: number;
  /** Maximum concurrent renderings; default 1. Others wait in a queue. */
  readonly concurrencyMax?: number;
  /** Maximum length of the queue; default 5. Beyond it, the renderer returns `busy`. */
  readonly waitingMax?: number;
  /** Maximum total length of cached results in characters; default 8 Mi. */
  readonly cachedMax?: number;
  /** Milliseconds to cache a failure, which a busy machine may have caused; default 60,000. */
  readonly failureMs?: number;
};

const MIB = 1024 * 1024;
/** Approximate overhead of a cached result, in characters. */
const ENTRY_LENGTH = 1024;
const FAILURES_MAX = 10_000;
/** Time between two measurements of a thread. */
const MEASURE_EVERY_MS = 100;
/** Sufficient for readmes of 340 KiB. */
const THREAD_LIMITS = { maxOldGenerationSizeMb: 48, maxYoungGenerationSizeMb: 8 } as const;
const WORKER = new URL(`./markdown-worker${extname(import.meta.url)}`, import.meta.url);

/**
 * Creates a renderer that uses one worker thread per readme and terminates it at the limit of CPU
 * time, time or memory. No text can therefore block the service. The text is the cache key of a
 * result; failures are cached briefly.
 */
export function createReadmeRenderer(limits: ReadmeLimits = {}): ReadmeRenderer {
  const { concurrencyMax = 1, waitingMax = 5, cachedMax = 8 * MIB, failureMs = 60_000 } = limits;
  const cached = new BoundedCache<string, RenderedReadme>({
    weight: { max: cachedMax, of: lengthOf },
  });
  const failed = new BoundedCache<string, RenderedReadme>({
    entries: FAILURES_MAX,
    age: { maxMs: failureMs, now: () => performance.now() },
  });
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
      (rendered.status === "html" ? cached : failed).set(key, rendered);
      return rendered;
    } finally {
      done();
    }
  };

  return async (markdown) => {
    const key = createHash("sha256").update(markdown).digest("base64");
    const cachedReadme = cached.get(key) ?? failed.get(key) ?? running.get(key);
    if (cachedReadme) return cachedReadme;
    const isFull = active >= concurrencyMax && waiting.length >= waitingMax;
    if (isFull) return { status: "plain", reason: "busy" };
    const rendering = render(key, markdown).finally(() => running.delete(key));
    running.set(key, rendering);
    return rendering;
  };
}

function lengthOf(rendered: RenderedReadme): number {
  return ENTRY_LENGTH + (rendered.status === "html" ? rendered.html.length : 0);
}

async function renderInThread(
  markdown: string,
  { cpuMs = 2_000, wallMs = 30_000, lengthMax = 4 * MIB, measureCpu = cpuTimeOf }: ReadmeLimits,
): Promise<RenderedReadme> {
  const worker = new Worker(WORKER, {
    workerData: markdown,
    // The worker needs no environment variables, and its output is discarded.
    env: {},
    stdin: false,
    stdout: true,
    stderr: true,
    resourceLimits: THREAD_LIMITS,
  });
  worker.unref();
  const { promise, resolve } = Promise.withResolvers<string | undefined>();
  const timer = setTimeout(() => resolve(undefined), wallMs);
  const meter = setInterval(async () => {
    const usedMs = await measureCpu(worker);
    if (usedMs !== undefined && usedMs > cpuMs) resolve(undefined);
  }, MEASURE_EVERY_MS);
  worker.once("message", (html: unknown) => resolve(typeof html === "string" ? html : undefined));
  worker.once("error", () => resolve(undefined));
  worker.once("exit", () => resolve(undefined));
  try {
    const html = await promise;
    const isUsable = html !== undefined && html.length <= lengthMax;
    return isUsable ? { status: "html", html } : { status: "plain", reason: "too-complex" };
  } finally {
    clearTimeout(timer);
    clearInterval(meter);
    await worker.terminate();
  }
}

/**
 * Wall time would refuse readmes on a busy machine. Node before 22.18 cannot measure another
 * thread; there the limit of wall time decides alone.
 */
async function cpuTimeOf(worker: Partial<Pick<Worker, "cpuUsage">>): Promise<number | undefined> {
  try {
    const usage = await worker.cpuUsage?.();
    return usage && (usage.user + usage.system) / 1_000;
  } catch {
    // The thread has not started yet, or has ended.
    return undefined;
  }
}

/** Options of the apps whose pages show readmes. */
export type PackagesOptions = {
  /** Default: a renderer with worker threads and limits. */
  readonly renderReadme?: ReadmeRenderer;
};
