// Runs in a worker thread, which the renderer terminates after a timeout.
import { parentPort, workerData } from "node:worker_threads";
import { renderMarkdown } from "./markdown.ts";

// oxlint-disable-next-line require-post-message-target-origin -- a thread's port has no origin
parentPort?.postMessage(renderMarkdown(String(workerData)));
