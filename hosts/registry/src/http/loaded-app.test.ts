import { Hono } from "hono";
import { expect, test } from "vitest";
import { loadedApp } from "./loaded-app.ts";

test("pages load again after a failed load, and then once for all requests", async () => {
  let loads = 0;
  const app = loadedApp(async () => {
    loads += 1;
    if (loads === 1) throw new Error("too many open files");
    return new Hono().get("/packages", (c) => c.text("the page"));
  });
  app.onError((error, c) => c.text(error.message, 500));
  const statusOf = async () => (await app.request("/packages")).status;
  expect(await statusOf()).toBe(500);
  expect(await Promise.all([statusOf(), statusOf()])).toEqual([200, 200]);
  expect(await statusOf()).toBe(200);
  expect(loads).toBe(2);
});
