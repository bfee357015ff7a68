import { buildImage } from "@sealhouse/oci-distribution/testing";
import { expect, test } from "vitest";
import { createMemoryMirrorPorts } from "../../testing/memory-mirror-ports.ts";
import { testSource } from "../../testing/memory-parts.ts";
import { createRecentAnswers, digestIn } from "./image-documents.ts";
import { createTagMoves } from "./tag-moves.ts";

const MINUTE_MS = 60_000;
const source = testSource("oci", new URL("https://hub.example/"), { name: "hub" });
const image = { protocol: "oci", name: "team/app", nameAtSource: "team/app" } as const;
const digestOf = (text: string) => buildImage({ config: `{"of":"${text}"}` }).digest;

test("a source has answered for another name within five minutes, or not", () => {
  let ms = 0;
  const answers = createRecentAnswers(() => new Date(ms));
  expect(answers.hasOther("hub", "a")).toBe(false);
  answers.note("hub", "a");
  expect([answers.hasOther("hub", "a"), answers.hasOther("hub", "b")]).toEqual([false, true]);
  expect(answers.hasOther("other", "b")).toBe(false);
  answers.note("hub", "b");
  expect(answers.hasOther("hub", "a")).toBe(true);
  // Only the last two names are known.
  answers.note("hub", "c");
  answers.note("hub", "c");
  expect(answers.hasOther("hub", "b")).toBe(true);
  ms = 5 * MINUTE_MS;
  expect(answers.hasOther("hub", "a")).toBe(true);
  ms += 1;
  expect(answers.hasOther("hub", "a")).toBe(false);
});

test.each(["{}", '{"digest":1}', '{"digest":"sha256:x"}'])(
  "the kept document %s of a tag is damage",
  async (text) => {
    await expect(digestIn({ bytes: async () => Buffer.from(text) })).rejects.toThrow();
  },
);

test("keeps the moves of a tag in order, and begins again after another image", async () => {
  const { documents } = createMemoryMirrorPorts();
  const moves = createTagMoves({ documents, now: () => new Date(0) });
  const [a, b, c, d] = ["a", "b", "c", "d"].map(digestOf) as [never, never, never, never];
  const note = (current: typeof a, digest: typeof a) =>
    moves.note({ image, source, tag: "latest", current, digest });
  expect(await note(a, b)).toEqual([b]);
  expect(await note(a, c)).toEqual([b, c]);
  expect(await note(a, b)).toEqual([b, c]);
  expect(await note(b, d)).toEqual([c, d]);
  // The tag has moved here to an image that is not one of them.
  expect(await note(a, d)).toEqual([d]);
});

test("a tag that moves often keeps its first hundred moves", async () => {
  const { documents } = createMemoryMirrorPorts();
  const moves = createTagMoves({ documents, now: () => new Date(0) });
  const current = digestOf("current");
  let last: readonly string[] = [];
  for (let index = 0; index < 105; index += 1) {
    last = await moves.note({ image, source, tag: "t", current, digest: digestOf(`${index}`) });
  }
  expect([last.length, last[0], last.at(-1)]).toEqual([100, digestOf("0"), digestOf("99")]);
});

test.each(["{}", "[]", '{"from":"x","to":[]}', '{"from":1,"to":{}}'])(
  "damaged moves (%s) begin again",
  async (text) => {
    const { documents } = createMemoryMirrorPorts();
    const damaged = { ...documents, bytes: async () => Buffer.from(text) };
    const moves = createTagMoves({ documents: damaged, now: () => new Date(0) });
    const digest = digestOf("b");
    const moved = { image, source, tag: "t", current: digestOf("a"), digest };
    expect(await moves.note(moved)).toEqual([digest]);
  },
);
