import { buildIndex } from "@sealhouse/oci-distribution/testing";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openScriptedImages } from "../../testing/scripted-images.ts";
import type { ScriptedImages } from "../../testing/scripted-images.ts";
import { imageOf, imageSource, openImageMirror } from "./image-mirror.test.support.ts";
import type { ImageMirror } from "./image-mirror.test.support.ts";

const DAY_MS = 24 * 60 * 60_000;
const AGE_MS = 7 * DAY_MS;
let hub: ScriptedImages;
beforeEach(async () => {
  hub = await openScriptedImages();
});
afterEach(() => hub[Symbol.asyncDispose]());

const open = () =>
  openImageMirror([imageSource(hub, { settings: { minimumReleaseAgeMs: AGE_MS } })]);

async function manifest(mirror: ImageMirror, path: string, reference: string) {
  const { status, headers, text, digest } = await mirror.ask(`${path}/manifests/${reference}`);
  const { errors = [] } = (status === 200 ? {} : JSON.parse(text)) as {
    readonly errors?: readonly { readonly code: string; readonly message: string }[];
  };
  const error = errors[0] && `${errors[0].code} ${errors[0].message}`;
  return { status, digest, warning: headers.get("warning"), error };
}

test("serves the first image of a tag, and holds the next one back", async () => {
  const [first, second] = [imageOf("first"), imageOf("second")];
  hub.put("team/moving", first, "1.0");
  await using mirror = open();
  const tagged = () => manifest(mirror, "team/moving", "1.0");
  expect(await tagged()).toMatchObject({ digest: first.digest, warning: null });
  hub.put("team/moving", second, "1.0");
  mirror.pass(DAY_MS);
  const { digest, warning } = await tagged();
  expect(digest).toBe(first.digest);
  expect(warning).toContain(second.digest);
  expect(warning).toMatch(/^299 - "team\/moving:1\.0 is .* by MinimumReleaseAge of .* hub\."$/);
  expect((await mirror.ask("team/moving/tags/list")).text).toContain('"tags":["1.0"]');
  const { status, error } = await manifest(mirror, "team/moving", second.digest);
  expect(status).toBe(403);
  expect(error).toMatch(/^DENIED team\/moving sha256:.* is held back until .* waits 7 days/);
  const shown = { repository: "team/moving", tag: "1.0", digest: first.digest } as never;
  expect(await mirror.mirrored.withheld(shown)).toMatchObject({
    text: expect.stringContaining("team/moving:1.0 is an older image"),
  });
  // An exception for the tag is one for its image.
  await mirror.addRule("allow", "team/moving", "1.0");
  expect(await tagged()).toMatchObject({ digest: second.digest, warning: null });
});

test("serves a held image at its time", async () => {
  const [first, second] = [imageOf("first"), imageOf("second")];
  hub.put("team/moving", first, "1.0");
  await using mirror = open();
  const digest = async () => (await manifest(mirror, "team/moving", "1.0")).digest;
  expect(await digest()).toBe(first.digest);
  hub.put("team/moving", second, "1.0");
  mirror.pass(DAY_MS);
  expect(await digest()).toBe(first.digest);
  mirror.pass(AGE_MS);
  expect(await digest()).toBe(second.digest);
});

test("holds an unknown image back by digest, and answers 404 for an absent one", async () => {
  const image = imageOf("by-digest");
  hub.put("team/digests", image);
  await using mirror = open();
  expect(await manifest(mirror, "team/digests", image.digest)).toMatchObject({
    status: 403,
    error: expect.stringContaining("first seen here"),
  });
  const absent = await manifest(mirror, "team/digests", imageOf("absent").digest);
  expect([401, 404]).toContain(absent.status);
  await mirror.addRule("allow", "team/*", image.digest);
  expect((await manifest(mirror, "team/digests", image.digest)).status).toBe(200);
});

test("serves the images of an index that is here", async () => {
  const images = [imageOf("amd64"), imageOf("arm64")];
  const index = buildIndex(images);
  hub.put("team/multi", index, "1.0");
  for (const image of images) hub.put("team/multi", image);
  await using mirror = open();
  expect((await manifest(mirror, "team/multi", images[0]?.digest ?? "")).status).toBe(403);
  expect((await manifest(mirror, "team/multi", "1.0")).digest).toBe(index.digest);
  for (const { digest } of images) {
    expect((await manifest(mirror, "team/multi", digest)).status).toBe(200);
  }
});

test("refuses images by rules, although they are here, until the rules go", async () => {
  const names = ["bad/tagged", "bad/pinned", "bad/whole"];
  const images = names.map((name) => imageOf(name));
  await using mirror = open();
  const statuses = (references: readonly string[]) =>
    Promise.all(
      names.map(async (name, index) => {
        return (await manifest(mirror, name, references[index] ?? "")).status;
      }),
    );
  const all = (reference: string) => names.map(() => reference);
  const digests = images.map(({ digest }) => digest);
  for (const [index, name] of names.entries()) {
    hub.put(name, images[index] ?? expect.unreachable(), "1.0", "1.1", "2.0");
  }
  for (const tag of ["1.0", "1.1"]) expect(await statuses(all(tag))).toEqual([200, 200, 200]);
  const removals = [];
  for (const [index, versions] of ["1.0", digests[1], ""].entries()) {
    removals.push(await mirror.addRule("deny", names[index] ?? "", versions));
  }
  expect(await statuses(all("1.0"))).toEqual([403, 403, 403]);
  expect(await statuses(all("1.1"))).toEqual([200, 403, 403]);
  expect(await statuses(digests)).toEqual([200, 403, 403]);
  expect((await manifest(mirror, "bad/tagged", "1.0")).error).toBe(
    "DENIED bad/tagged 1.0 is denied on this registry: It mines coins. Use another version, or " +
      "ask the administrators of this registry.",
  );
  const tags = await mirror.ask("bad/tagged/tags/list?n=2");
  expect(tags.text).toContain('"tags":["1.1","2.0"]');
  expect((await mirror.ask("bad/whole/tags/list")).status).toBe(403);
  for (const remove of removals) await remove();
  expect(await statuses(all("1.0"))).toEqual([200, 200, 200]);
  expect(await statuses(digests)).toEqual([200, 200, 200]);
});

test("refuses an image of this registry by a rule", async () => {
  await using mirror = open();
  for (const tag of ["1.0", "2.0"]) {
    expect((await mirror.push("own/app", tag, buildIndex([]))).status).toBe(201);
  }
  await mirror.addRule("deny", "own/*", "1.0");
  expect((await manifest(mirror, "own/app", "1.0")).status).toBe(403);
  expect((await manifest(mirror, "own/app", "2.0")).status).toBe(200);
  const { digest } = buildIndex([]);
  const shown = (tag: string) => ({ repository: "own/app", tag, digest }) as never;
  expect(await mirror.mirrored.withheld(shown("1.0"))).toMatchObject({ status: "denied" });
  expect(await mirror.mirrored.withheld(shown("2.0"))).toBeUndefined();
});
