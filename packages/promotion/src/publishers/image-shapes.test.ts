import { buildImage, buildIndex } from "@sealhouse/oci-distribution/testing";
import type { TestManifest } from "@sealhouse/oci-distribution/testing";
import { expect, test } from "vitest";
import type { TargetOptions } from "../model/publish-target.ts";
import { memberOfImage, openImages, push } from "./scripted-images.test.support.ts";

const AMD = buildImage({ config: '{"architecture":"amd64"}' });
const ARM = buildImage({ config: '{"architecture":"arm64"}' });

/** Releases an image, of which the registry has the given parts. */
async function release(
  image: TestManifest,
  {
    parts = [],
    lost = [],
    options = {},
  }: {
    readonly parts?: readonly TestManifest[];
    /** Parts that the registry has lost. */
    readonly lost?: readonly TestManifest[];
    readonly options?: Partial<TargetOptions>;
  },
) {
  const { from, to, open } = openImages([memberOfImage("app", image, "1.0")], { options });
  for (const part of [...parts, image]) await push(from.client, "app", { image: part });
  from.instead = (call) =>
    lost.some(({ digest }) => call.endsWith(digest))
      ? new Response(null, { status: 404 })
      : undefined;
  const opened = open();
  await opened.open();
  const ended = await opened.runToEnd();
  const place = to.client.repository("mirror/app");
  const has = async ({ digest }: Pick<TestManifest, "digest">) =>
    (await place.findManifest(digest)) !== undefined;
  return { ...ended, to, place, has };
}

test("names the images that the registry misses before the first byte", async () => {
  const index = buildIndex([AMD, ARM]);
  const { state, reason, to } = await release(index, { parts: [AMD, ARM], lost: [ARM] });
  expect([state, reason]).toEqual(["failed", expect.stringContaining(ARM.digest)]);
  expect(reason).not.toContain(AMD.digest);
  expect(to.seen).toEqual([]);
});

test("copies an index of indexes with all that it names", async () => {
  const inner = buildIndex([AMD, ARM]);
  const outer = buildIndex([inner, AMD]);
  const { state, has, place } = await release(outer, { parts: [AMD, ARM, inner] });
  expect(state).toBe("released");
  expect(await Promise.all([AMD, ARM, inner].map(has))).toEqual([true, true, true]);
  expect((await place.findManifest("1.0"))?.digest).toBe(outer.digest);
});

const FOREIGN = "application/vnd.oci.image.layer.nondistributable.v1.tar+gzip";

test.each([
  [false, "1 layers stay at the place that they name"],
  [true, undefined],
])("foreign layers, sent by setting: %s", async (includeForeign, note) => {
  const plain = buildImage({ layers: ["a layer of Windows"] });
  const [, layer] = plain.blobs;
  if (!layer) throw new Error("the image has no layer");
  const { digest, bytes } = layer;
  const descriptor = { mediaType: FOREIGN, digest, size: bytes.length };
  const fields = { layers: [{ ...descriptor, urls: ["https://layers.example/windows"] }] };
  const image = { ...buildImage({ layers: [], fields }), blobs: plain.blobs };
  const { state, items, place } = await release(image, { options: { includeForeign } });
  expect([state, items[0]?.note]).toEqual(["released", note]);
  expect((await place.findBlob(digest)) !== undefined).toBe(includeForeign);
});
