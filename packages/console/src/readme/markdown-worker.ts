// Runs in a thread of its own, which its owner ends when it takes too long.
import { parentPort, workerData } from "node:worker_threads";
import { renderMarkdown } from "./markdown.ts";

// oxlint-disable-next-line require-post-message-target-origin -- a thread's port has no origin
parentPort?.postMessage(renderMarkdown(String(workerData)));
