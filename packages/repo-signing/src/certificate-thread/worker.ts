// Runs in the thread that makes certificates and opens PFX files.
import type { MessagePort } from "node:worker_threads";
import { parentPort } from "node:worker_threads";
import type { TaskAnswer } from "./messages.ts";
import { answerOf } from "./messages.ts";
import type { TaskCall } from "./tasks.ts";
import { TASKS } from "./tasks.ts";

parentPort?.on("message", ({ call, port }: { call: TaskCall; port: MessagePort }) => {
  void answerTo(call).then((answer) => {
    // oxlint-disable-next-line require-post-message-target-origin -- a port has no origin
    port.postMessage(answer);
    port.close();
  });
});

async function answerTo(call: TaskCall): Promise<TaskAnswer> {
  try {
    return { status: "done", result: await run(call) };
  } catch (error) {
    return answerOf(error);
  }
}

function run(call: TaskCall): Promise<unknown> {
  switch (call.name) {
    case "makeOwn":
      return TASKS.makeOwn(...call.args);
    case "openPfx":
      return TASKS.openPfx(...call.args);
    case "encodePfx":
      return TASKS.encodePfx(...call.args);
    case "issueP256":
      return TASKS.issueP256(...call.args);
  }
}
