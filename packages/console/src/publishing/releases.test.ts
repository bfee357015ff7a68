import { expect, test } from "vitest";
import { examplePublishing, exampleRelease } from "../testing/example-publishing.ts";
import { openScreens } from "../testing/example-screens.ts";
import { wordsOf } from "../testing/page-text.ts";
import { releaseStream } from "./release-stream.ts";

const GROUP = "/administration/package-groups/web";
const RELEASES = "/administration/releases";
const { id: FAILED, items: ITEMS } = exampleRelease();
const RUNNING = "00000000-0000-4000-8000-00000000000b";

async function open() {
  const publishing = examplePublishing();
  const { releases } = publishing;
  const { endedAt: _, ...release } = exampleRelease({ id: RUNNING, state: "carrying", number: 4 });
  const items = ITEMS.map((item) => ({ ...item, state: "carried" as const }));
  releases.set(RUNNING, { ...release, items });
  return { ...publishing, ...(await openScreens(publishing.parts)) };
}

test("a group shows what a release takes now, and how far the last one is behind", async () => {
  const { get } = await open();
  const list = wordsOf(await (await get("/administration/package-groups", "ada")).text());
  expect(list).toContain("web npm:@acme/*=latest-stable prod-npm 3 Failed Look");
  const page = wordsOf(await (await get(GROUP, "ada")).text());
  expect(page).toContain("@acme/bar 1.3.0 New Never npm:@acme/*=latest-stable");
});

test("a release asks first with counts and names, and again when they change", async () => {
  const { get, send, post, hiddenOn, planned, jobs } = await open();
  const [item] = ITEMS;
  planned.push({ item, finding: { status: "absent", before: { tags: {} } } });
  const form = `${GROUP}/release`;
  const asked = await send(form, { sure: "" });
  const html = await asked.text();
  expect(wordsOf(html)).toContain("Release 1 package? prod-npm gets 1 version: @acme/bar 1.2.0.");
  planned.push({
    item: { ...item, target: "other" },
    finding: { status: "same", before: { tags: {} } },
  });
  const [, sure = ""] = /name="sure"\s+value="([^"]*)"/.exec(html) ?? [];
  const again = await post(form, { ...(await hiddenOn(form, form)), sure });
  expect(wordsOf(await again.text())).toContain("other has 1 version already.");
  const started = await send(form, {});
  const location = started.headers.get("location") ?? "";
  expect(location).toMatch(/package-groups\/web\?notice=releases.promote&job=[\w-]{36}$/);
  const notice = await (await get(location.replace("http://localhost:8080", ""), "ada")).text();
  expect(wordsOf(notice)).toContain("The release begins. Follow the run");
  expect(await jobs.find(/job=([\w-]+)/.exec(location)?.[1] ?? "", new Date())).toBeDefined();
});

test("a failed release continues, and a second administrator hears of it", async () => {
  const { get, post, hiddenOn, releases } = await open();
  const page = `${RELEASES}/${FAILED}`;
  const words = wordsOf(await (await get(page, "ada")).text());
  expect(words).toContain("@acme/bar 1.2.0 prod-npm Failed 1.0 KB");
  expect(words).not.toContain("Undo");
  const first = await hiddenOn(page, `${page}/resume`);
  const second = await hiddenOn(page, `${page}/resume`, "eve");
  const done = await post(`${page}/resume`, first);
  expect(done.headers.get("location")).toMatch(/notice=releases.resume/);
  await expect.poll(() => releases.get(FAILED)?.state).toBe("publishing");
  const late = await post(`${page}/resume`, second, { user: "eve" });
  expect([late.status, wordsOf(await late.text())]).toEqual([
    422,
    expect.stringContaining("is older than the last change"),
  ]);
});

test("a running release is followed by a stream, and without one by loading it again", async () => {
  const { get, send, releases } = await open();
  const page = `${RELEASES}/${RUNNING}`;
  const html = await (await get(page, "ada")).text();
  expect(html).toContain(`data-live="${page}/events"`);
  expect(html).toContain(`<noscript><meta http-equiv="refresh" content="5" /></noscript>`);
  expect(wordsOf(html)).toMatch(/Done Choose versions .* Now Send content, not yet visible/);
  expect((await get(`${page}/events`, "reader")).status).toBeGreaterThan(400);
  const asked = await send(page, { sure: "" }, `${page}/undo`);
  expect(wordsOf(await asked.text())).toContain(
    "Undo release 4 of web? Taken back from prod-npm: 1 version: @acme/bar 1.2.0.",
  );
  await send(page, {}, `${page}/undo`);
  await expect.poll(() => releases.get(RUNNING)?.state).toBe("undoing");
  const ended = await (await get(`${RELEASES}/${FAILED}`, "ada")).text();
  expect(ended).not.toContain("data-live");
});

test("the stream sends an event for each change, and ends with the release", async () => {
  let release = exampleRelease({ state: "carrying" });
  const { endedAt, ...running } = release;
  release = running;
  const find = async () => release;
  const times = { lookEveryMs: 5, lifeMs: 10_000 };
  const { signal } = new AbortController();
  const response = await releaseStream({ find }, release.id, signal, times);
  const reader = response?.body?.getReader();
  let text = "";
  const read = async () => {
    const { value, done } = (await reader?.read()) ?? { done: true };
    text += Buffer.from(value ?? []).toString();
    return done;
  };
  while (!text.includes("data: changed")) await read();
  release = { ...running, state: "publishing" };
  while (text.split("data: changed").length < 3) await read();
  release = { ...running, state: "released", ...(endedAt && { endedAt }) };
  while (!(await read()));
  expect(text).toMatch(/^retry: 1000\n\n/);
  expect(text.split("data: changed")).toHaveLength(4);
  expect(await releaseStream({ find: async () => undefined }, "x", signal, times)).toBeUndefined();
});

test("a stream ends when its browser leaves, and after a minute", async () => {
  const { endedAt: _, ...release } = exampleRelease({ state: "carrying" });
  let looks = 0;
  const find = async () => ((looks += 1), release);
  const left = new AbortController();
  const times = { lookEveryMs: 5, lifeMs: 10_000 };
  await releaseStream({ find }, release.id, left.signal, times);
  left.abort();
  await expect.poll(async () => looks).toBeLessThan(10);
  const short = await releaseStream({ find }, release.id, new AbortController().signal, {
    lookEveryMs: 5,
    lifeMs: 30,
  });
  expect(await short?.text()).toContain(": still");
});
