import { expect, test } from "vitest";
import { createTestFeed } from "../testing/test-feed.ts";

const label = (svg: string) => /aria-label="([^"]*)"/.exec(svg)?.[1];

test("a badge names the newest listed version, with prereleases only at /vpre", async () => {
  const feed = createTestFeed();
  await feed.fill("Acme.Json", "1.0.0", "1.10.0", "1.9.0", "2.0.0-beta.1", "3.0.0");
  await feed.app.request("/api/v2/package/Acme.Json/3.0.0", { method: "DELETE" });
  const stable = await feed.get("/shield/ACME.Json");
  expect(stable.status).toBe(200);
  expect(stable.headers.get("content-type")).toBe("image/svg+xml");
  expect(stable.headers.get("content-security-policy")).toBe("default-src 'none'");
  expect(label(await stable.text())).toBe("nuget: 1.10.0");
  expect(label(await (await feed.get("/shield/acme.json/vpre")).text())).toBe(
    "nuget: 2.0.0-beta.1",
  );
  const etag = stable.headers.get("etag") ?? "";
  const again = await feed.app.request("/shield/acme.json", {
    headers: { "if-none-match": etag },
  });
  expect(again.status).toBe(304);
});

test.each(["/shield/absent", "/shield/a..b", "/shield/only.pre"])("%s is 404", async (path) => {
  const feed = createTestFeed();
  await feed.fill("Only.Pre", "1.0.0-alpha");
  expect((await feed.get(path)).status).toBe(404);
});
