import { changePlace, changeText, nestedLists } from "@sealhouse/http-responses/testing";
import type { TextChange } from "@sealhouse/http-responses/testing";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import {
  PARENT,
  RUNS,
  TIMEOUT_MS,
  expectForm,
  hostileText,
  openRegistry,
  putManifest,
  timed,
} from "./fuzz.test.support.ts";
import type { TestManifest } from "./testing/build-image.ts";
import { buildImage, buildIndex } from "./testing/build-image.ts";

const IMAGE = buildImage({
  layers: ["one", "two"],
  config: '{"os":"linux"}',
  subject: PARENT.descriptor,
  annotations: { "org.example.key": "value" },
  artifactType: "application/vnd.example",
});
const INDEX = buildIndex([PARENT], { subject: PARENT.descriptor, annotations: { a: "b" } });
const SOURCES = [IMAGE, INDEX] as const;

const hostileValue: fc.Arbitrary<unknown> = fc.oneof(
  hostileText,
  fc.constantFrom(null, true, -1, 0.5, 1e308, 2 ** 53, [], {}, [[]], ""),
  fc.constant([PARENT.descriptor]),
  fc.constant({ ...PARENT.descriptor, size: 1 }),
  fc.dictionary(hostileText, hostileText, { maxKeys: 3 }),
  fc.integer({ min: 1, max: 200 }).map(nestedLists),
);

const textChange: fc.Arbitrary<TextChange> = fc.record({
  at: fc.double({ min: 0, max: 1, noNaN: true }),
  what: fc.oneof(
    fc.constantFrom("", "{", "}", "[", "]", '"', ",", ":", "\\", "\\u00", "1e999", "-", "null"),
    fc.constantFrom('"__proto__":{},', "[".repeat(300), '{"a":'.repeat(100), "\u0000", "\ufeff"),
    fc.constantFrom('"manifests":[],', '"layers":[],', '"schemaVersion":1,', '"data":"eA==",'),
    fc.string({ unit: "binary", maxLength: 20 }),
  ),
  take: fc.constantFrom(0, 0, 1, 2, 30, 1_000_000),
});

const totals = { taken: 0, refused: 0 };

test(
  "manifests with changed text are stored unchanged, or leave nothing",
  () =>
    fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...SOURCES),
        fc.array(textChange, { minLength: 1, maxLength: 3 }),
        async (source, changes) => {
          const text = changes.reduce(changeText, Buffer.from(source.bytes).toString());
          await expectTakenOrNothing(Buffer.from(text.toWellFormed()), source.mediaType);
        },
      ),
      RUNS,
    ),
  TIMEOUT_MS,
);

test(
  "manifests with a changed field are stored unchanged, or leave nothing",
  () =>
    fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...SOURCES),
        fc.nat(),
        hostileValue,
        fc.option(hostileText, { nil: undefined }),
        async (source, at, value, key) => {
          const document: unknown = JSON.parse(Buffer.from(source.bytes).toString());
          changePlace(document, { at, key, value });
          await expectTakenOrNothing(Buffer.from(JSON.stringify(document)), source.mediaType);
        },
      ),
      RUNS,
    ),
  TIMEOUT_MS,
);

test("both happened: manifests were taken, and refused", () => {
  expect(totals.taken).toBeGreaterThan(10);
  expect(totals.refused).toBeGreaterThan(10);
});

async function expectTakenOrNothing(
  bytes: Uint8Array,
  type: TestManifest["mediaType"],
): Promise<void> {
  const { app, ports } = await openRegistry();
  const events = ports.events.length;
  const answer = await timed(() => putManifest(app, bytes, type, "new"));
  await expectForm(answer, "PUT");
  const read = await app.request("/v2/team/app/manifests/new");
  if (answer.status !== 201) {
    totals.refused += 1;
    expect([400, 404]).toContain(answer.status);
    expect(read.status).toBe(404);
    expect(ports.events).toHaveLength(events);
    return;
  }
  totals.taken += 1;
  expect(read.status).toBe(200);
  expect(Buffer.from(await read.arrayBuffer()).equals(bytes)).toBe(true);
  const referrers = await app.request(`/v2/team/app/referrers/${PARENT.digest}`);
  expect(await referrers.json()).toMatchObject({ schemaVersion: 2 });
}
