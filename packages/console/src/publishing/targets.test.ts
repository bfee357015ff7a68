import { expect, test } from "vitest";
import { examplePublishing } from "../testing/example-publishing.ts";
import { openScreens } from "../testing/example-screens.ts";
import { wordsOf } from "../testing/page-text.ts";

const TARGETS = "/administration/publish-targets";
const NEW = `${TARGETS}/new`;
const MADE = { name: "images", protocol: "oci", endpoint: "https://ghcr.io/acme" };

async function open() {
  const publishing = examplePublishing();
  return { ...publishing, ...(await openScreens(publishing.parts)) };
}

test("lists targets with their state, the expiry of the token and their groups", async () => {
  const { get } = await open();
  const page = await get(TARGETS, "ada");
  const html = await page.text();
  const words = wordsOf(html);
  expect(words).toContain("prod-npm npm https://registry.npmjs.org/ In use just now In 9 days web");
  expect(words).toMatch(/old npm .* Expired 1 day ago None/);
  expect(words).toMatch(/held npm .* Paused/);
  expect(html).not.toContain("a-secret-token");
  for (const user of ["reader", "narrow"] as const) {
    expect((await get(TARGETS, user)).status).toBeGreaterThan(400);
  }
});

test("the page of a target has its options, its releases and no secret", async () => {
  const { get } = await open();
  const html = await (await get(`${TARGETS}/prod-npm`, "ada")).text();
  const words = wordsOf(html);
  expect(words).toContain("Credentials Bearer token");
  expect(words).toContain("web 3 Failed prod-npm");
  expect(html).not.toContain("a-secret-token");
  expect((await get(`${TARGETS}/nothing`, "ada")).status).toBe(404);
});

test("a target is added, and a refused form keeps what was typed but the secret", async () => {
  const { get, send, targets } = await open();
  const preset = await (await get(`${NEW}?name=npmjs&protocol=npm`, "ada")).text();
  expect(preset).toContain('value="npmjs"');
  const fields = { ...MADE, username: "ci", token: "my-secret" };
  const refused = await send(NEW, { ...fields, endpoint: "ghcr" });
  const html = await refused.text();
  expect([refused.status, wordsOf(html)]).toEqual([
    422,
    expect.stringContaining('"Endpoint" must be an http or https URL.'),
  ]);
  expect(html).toContain('value="ci"');
  expect(html).not.toContain("my-secret");
  const added = await send(NEW, fields);
  expect([added.status, added.headers.get("location")]).toEqual([
    303,
    expect.stringMatching(`${TARGETS}/images\\?notice=targets.add$`),
  ]);
  expect(targets.get("images")?.credentials).toMatchObject({ username: "ci" });
  const page = await get(`${TARGETS}/images?notice=targets.add`, "ada");
  expect(wordsOf(await page.text())).toContain("The target was added.");
});

test("a token is replaced, a target paused with a reason, resumed and removed", async () => {
  const { get, post, hiddenOn, send, targets } = await open();
  const page = `${TARGETS}/prod-npm`;
  await send(`${page}/token`, { token: "another-secret", expires: "2026-12-31" });
  expect(targets.get("prod-npm")).toMatchObject({
    credentials: { type: "bearer", token: "another-secret" },
    expiresAt: new Date("2026-12-31"),
  });
  expect(await (await get(page, "ada")).text()).not.toContain("another-secret");
  expect((await send(`${page}/pause`, { reason: "Their registry moves." })).status).toBe(303);
  const hidden = await hiddenOn(page, `${page}/resume`);
  expect(hidden["entity-tag"]).toMatch(/^[\w-]{22}$/);
  const stale = await post(`${page}/resume`, { ...hidden, "entity-tag": "older" });
  expect(wordsOf(await stale.text())).toContain("is older than the last change");
  expect((await post(`${page}/resume`, hidden)).status).toBe(303);
  const asked = await send(page, { sure: "" }, `${page}/remove`);
  expect(wordsOf(await asked.text())).toContain("Remove the target prod-npm?");
  expect(targets.has("prod-npm")).toBe(true);
  const removed = await send(page, {}, `${page}/remove`);
  expect(removed.headers.get("location")).toMatch(/publish-targets\?notice=targets.remove$/);
  expect(targets.has("prod-npm")).toBe(false);
});

test("a test shows its steps, and publishes nothing", async () => {
  const { send } = await open();
  const page = `${TARGETS}/prod-npm`;
  const html = await (await send(page, {}, `${page}/test`)).text();
  const words = wordsOf(html);
  expect(words).toMatch(/Name Works .* Connection Works .* Certificate Works .* Not proven/);
  expect(html).not.toContain("<b>no-break");
});
