import { afterEach } from "vitest";
import { describeHosts, forgetClosedHosts } from "./host-notes.ts";

/** A failed test of a host shows what was sent, what came back, and where the log is. */
afterEach(({ task }) => {
  if (task.result?.state === "fail") console.error(describeHosts(task.id).join("\n"));
  forgetClosedHosts();
});
