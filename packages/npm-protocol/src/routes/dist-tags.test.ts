import { expect, test } from "vitest";
import { DIST_TAGS_MAX } from "../dist-tag.ts";
import { json, put, withDemo } from "../testing/registry.ts";

const tags = "/npm/-/package/@acme%2fdemo/dist-tags";

test.each(["PUT", "POST"])(
  "%s moves a tag, in words that every client takes for a yes",
  async (method) => {
    const { app } = await withDemo();
    await put(app, { name: "@acme/demo", version: "2.0.0", tag: "next" });
    const moved = await app.request(`${tags}/latest`, { method, headers: json, body: '"2.0.0"' });
    expect([moved.status, await moved.json()]).toEqual([200, { ok: true, success: true }]);
    expect(await (await app.request(tags)).json()).toEqual({ latest: "2.0.0", next: "2.0.0" });
  },
);

test("a tag goes, but for latest", async () => {
  const { app } = await withDemo();
  await put(app, { name: "@acme/demo", version: "2.0.0", tag: "next" });
  const gone = await app.request(`${tags}/next`, { method: "DELETE" });
  expect([gone.status, await gone.json()]).toEqual([200, { ok: true, success: true }]);
  expect((await app.request(`${tags}/next`, { method: "DELETE" })).status).toBe(404);
  expect((await app.request(`${tags}/latest`, { method: "DELETE" })).status).toBe(403);
  expect(await (await app.request(tags)).json()).toEqual({ latest: "1.0.0" });
});

test.each([
  ["1.x", '"1.0.0"', 400],
  ["v2", '"1.0.0"', 400],
  ["good", '"7.0.0"', 404],
  ["good", '"not a version"', 400],
  ["good", "{", 400],
])("a tag %s of %s answers %i with a text", async (tag, body, status) => {
  const { app } = await withDemo();
  const refused = await app.request(`${tags}/${tag}`, { method: "PUT", headers: json, body });
  expect(refused.status).toBe(status);
  expect(await refused.json()).toMatchObject({ error: expect.stringMatching(/./) });
});

test("a package with as many tags as it may have refuses each way of adding one", async () => {
  const { app, ports } = await withDemo();
  const caller = { actor: "import" };
  for (let index = 1; index < DIST_TAGS_MAX; index += 1) {
    const target = { tag: `t${index}`, version: "1.0.0", isImported: true } as const;
    await ports.recorder.setTag("@acme/demo", target, caller);
  }
  const words = {
    error: expect.stringMatching(/^@acme\/demo has 1000 dist-tags.*npm dist-tag rm/),
  };
  const added = await app.request(`${tags}/more`, {
    method: "PUT",
    headers: json,
    body: '"1.0.0"',
  });
  expect([added.status, await added.json()]).toEqual([403, expect.objectContaining(words)]);
  const published = await put(app, { name: "@acme/demo", version: "2.0.0", tag: "more" });
  expect([published.status, await published.json()]).toEqual([403, expect.objectContaining(words)]);
  expect((await put(app, { name: "@acme/demo", version: "2.0.0", tag: "t1" })).status).toBe(200);
});
