import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { describeHosts, forgetClosedHosts, noteExchange, noteHost } from "./host-notes.ts";

test("a failed test shows the requests, the answers, and the file of the log", async () => {
  const notes = noteHost({ url: "http://127.0.0.1:1", output: () => "listening\n" });
  const request = { method: "PUT", path: "/npm/demo" };
  await noteExchange(notes, request, async () => Response.json({}, { status: 409 }));
  const refused = noteExchange(notes, request, () => Promise.reject(new Error("reset")));
  await expect(refused).rejects.toThrow("reset");
  const [host = "", ...exchanges] = describeHosts("of-notes").slice(-3);
  expect(exchanges).toEqual([
    "  PUT /npm/demo -> 409 application/json",
    "  PUT /npm/demo -> Error: reset",
  ]);
  const [, file = ""] = /^Host http:\/\/127\.0\.0\.1:1, its log: (.*)$/.exec(host) ?? [];
  expect(readFileSync(file, "utf8")).toBe("listening\n");
  notes.isClosed = true;
  forgetClosedHosts();
  expect(describeHosts("of-notes").join("\n")).not.toContain("127.0.0.1:1,");
});
