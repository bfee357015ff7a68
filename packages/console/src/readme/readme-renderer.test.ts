import { expect, test } from "vitest";
import { createReadmeRenderer } from "./readme-renderer.ts";

const MIB = 1024 * 1024;

test("renders in a worker thread", async () => {
  const render = createReadmeRenderer();
  expect(await render("**a**")).toEqual({ status: "html", html: "<p><strong>a</strong></p>\n" });
});

test("the limit counts CPU time, not the time that a busy machine takes", async () => {
  const slow = "a\n\n".repeat(20_000);
  const limits = { cpuMs: 1, failureMs: 0 };
  const starved = createReadmeRenderer({ ...limits, measureCpu: async () => 0 });
  expect(await starved(slow)).toMatchObject({ status: "html" });
  const measured: number[] = [];
  const hot = createReadmeRenderer({
    ...limits,
    measureCpu: async () => measured.push(2) + 1,
  });
  expect(await hot("[".repeat(MIB))).toEqual({ status: "plain", reason: "too-complex" });
  expect(measured).not.toEqual([]);
  const late = createReadmeRenderer({ wallMs: 1, measureCpu: async () => 0 });
  expect(await late("[".repeat(MIB))).toEqual({ status: "plain", reason: "too-complex" });
});

test("measures the CPU time of the thread", async () => {
  const render = createReadmeRenderer({ cpuMs: 1, wallMs: 600_000 });
  expect(await render("[".repeat(MIB))).toEqual({ status: "plain", reason: "too-complex" });
});

test("caches results and failures", async () => {
  const render = createReadmeRenderer({ cpuMs: 1_000 });
  const slow = "[".repeat(MIB);
  const html = await render("a");
  const plain = await render(slow);
  expect(plain).toEqual({ status: "plain", reason: "too-complex" });
  expect(await render("a")).toBe(html);
  expect(await render(slow)).toBe(plain);
});

test.each([
  ["brackets", "["],
  ["images", "!["],
  ["references", "[a\n"],
  ["emphasis", "_a*"],
  ["links", "[a]("],
  ["addresses", "http://"],
  ["comments", "<!--"],
  ["tags", "<a "],
  ["quotes", ">"],
  ["nested lists", " - a\n"],
  ["cells", "|a"],
  ["entities", "&#x"],
])("1 MiB of %s is rendered or refused, and timers run in the meantime", async (_, piece) => {
  const render = createReadmeRenderer({ cpuMs: 1_500 });
  let turns = 0;
  const pulse = setInterval(() => (turns += 1), 1);
  const rendered = await render(piece.repeat(MIB / piece.length));
  clearInterval(pulse);
  expect(["html", "plain"]).toContain(rendered.status);
  expect(turns).toBeGreaterThan(0);
});

test("a rendering that exceeds the memory limit fails", async () => {
  const render = createReadmeRenderer({ cpuMs: 20_000 });
  const wide = `|${"a|".repeat(3_000)}\n|${"-|".repeat(3_000)}\n${"a\n".repeat(400_000)}`;
  expect(await render(wide)).toEqual({ status: "plain", reason: "too-complex" });
});

test("a result that exceeds the length limit is plain text", async () => {
  const render = createReadmeRenderer({ lengthMax: 100 });
  expect(await render("&".repeat(50))).toEqual({ status: "plain", reason: "too-complex" });
});

test("a cached failure expires", async () => {
  const render = createReadmeRenderer({ lengthMax: 3, failureMs: 0 });
  const first = await render("a");
  expect(first).toMatchObject({ status: "plain" });
  expect(await render("a")).not.toBe(first);
});

test("concurrent requests for the same text render it once", async () => {
  const render = createReadmeRenderer({ concurrencyMax: 1, waitingMax: 0 });
  const answers = await Promise.all(Array.from({ length: 10 }, () => render("a")));
  expect(answers.map(({ status }) => status)).toEqual(Array(10).fill("html"));
});

test("requests beyond the queue limit get plain text", async () => {
  const render = createReadmeRenderer({ concurrencyMax: 1, waitingMax: 1 });
  const answers = await Promise.all(["a", "b", "c"].map((text) => render(text)));
  expect(answers.map(({ status }) => status)).toEqual(["html", "html", "plain"]);
  expect(await render("d")).toMatchObject({ status: "html" });
});

test("the cache drops the least recently used result", async () => {
  const render = createReadmeRenderer({ cachedMax: 2_100 });
  const [first, second] = [await render("a"), await render("b")];
  expect(await render("b")).toBe(second);
  expect(await render("a")).toBe(first);
  await render("c");
  expect(await render("b")).not.toBe(second);
});
