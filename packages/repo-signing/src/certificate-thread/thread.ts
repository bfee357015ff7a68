import { extname } from "node:path";
import { MessageChannel, Worker } from "node:worker_threads";
import type { TaskAnswer } from "./messages.ts";
import { errorOf } from "./messages.ts";
import type { TaskCall, TaskName, TaskResult, Tasks } from "./tasks.ts";

const WORKER = new URL(`./worker${extname(import.meta.url)}`, import.meta.url);
/** Certificates are rare, and a waiting thread holds some 40 MiB. */
const IDLE_MS = 2_000;

type Thread = { readonly worker: Worker; running: number; idle?: NodeJS.Timeout; fault?: unknown };

let current: Thread | undefined;

/**
 * Runs a task in the thread for certificates: the libraries take 0.2 CPU s to load, and
 * milliseconds for each certificate. The thread starts with the first task, and ends two seconds
 * after the last.
 */
export async function runInThread<Name extends TaskName>(
  name: Name,
  ...args: Parameters<Tasks[Name]>
): Promise<TaskResult<Name>> {
  const thread = (current ??= start());
  thread.running += 1;
  clearTimeout(thread.idle);
  thread.worker.ref();
  try {
    // oxlint-disable-next-line no-unsafe-type-assertion -- the name decides the arguments
    const answer = await answerFrom(thread, { name, args } as TaskCall);
    if (answer.status === "failed") throw answer.error;
    if (answer.status === "refused") throw errorOf(answer.fault);
    // oxlint-disable-next-line no-unsafe-type-assertion -- the name decides the result
    return answer.result as TaskResult<Name>;
  } finally {
    thread.running -= 1;
    if (thread.running === 0) endLater(thread);
  }
}

/** A Buffer over the same octets. */
export function bufferOf(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
}

function start(): Thread {
  // Only the conditions by which this process finds packages; it needs no variable.
  const execArgv = process.execArgv.filter((option) => option.startsWith("--conditions="));
  const worker = new Worker(WORKER, { env: {}, execArgv });
  const thread: Thread = { worker, running: 0 };
  worker.once("error", (error) => (thread.fault = error));
  worker.once("exit", () => {
    clearTimeout(thread.idle);
    if (current === thread) current = undefined;
  });
  return thread;
}

function answerFrom(thread: Thread, call: TaskCall): Promise<TaskAnswer> {
  const { worker } = thread;
  const { port1: ours, port2: theirs } = new MessageChannel();
  const { promise, resolve, reject } = Promise.withResolvers<TaskAnswer>();
  const failed = () =>
    reject(new Error("the thread for certificates ended early", { cause: thread.fault }));
  ours.once("message", resolve);
  ours.once("close", failed);
  worker.once("exit", failed);
  worker.postMessage({ call, port: theirs }, [theirs]);
  return promise.finally(() => {
    worker.off("exit", failed);
    ours.close();
  });
}

function endLater(thread: Thread): void {
  // A waiting thread keeps no process alive.
  thread.worker.unref();
  thread.idle = setTimeout(() => {
    if (current === thread) current = undefined;
    void thread.worker.terminate();
  }, IDLE_MS).unref();
}
