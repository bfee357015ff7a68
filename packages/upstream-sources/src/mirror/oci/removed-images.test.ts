import { parseRepositoryName } from "@sealhouse/oci-distribution";
import { buildImage } from "@sealhouse/oci-distribution/testing";
import { expect, test } from "vitest";
import type { OnRemoved } from "../../sources/package-source.ts";
import { createMemoryMirrorPorts } from "../../testing/memory-mirror-ports.ts";
import { testSource } from "../../testing/memory-parts.ts";
import { UpstreamUnavailableError } from "../calls/upstream-error.ts";
import { createRemovedImages } from "./removed-images.ts";

const HOUR_MS = 60 * 60_000;
const repository = parseRepositoryName("team/app");
const image = { protocol: "oci", name: repository, nameAtSource: repository } as const;
const { digest } = buildImage({ layers: ["1"] });

function openScene(onRemoved: OnRemoved, isOffline = false) {
  const url = new URL("https://hub.example/");
  const source = testSource("oci", url, { name: "hub", settings: { onRemoved } });
  const scene = { time: Date.parse("2026-03-01T00:00:00Z"), isAtSource: true, isAway: false };
  const now = () => new Date(scene.time);
  const bytes = async () => new Uint8Array();
  const answer = { status: "found", revision: "", bytes, checkedAt: now() } as const;
  const removed = createRemovedImages({
    documents: {
      async manifest() {
        if (scene.isAway) throw new UpstreamUnavailableError("hub", "is away", 1);
        return scene.isAtSource ? { source, answer } : "absent";
      },
    },
    kept: createMemoryMirrorPorts({ now }).documents,
    isOffline,
    now,
  });
  const stored = { image, repository, source };
  const outcome = (work: Promise<void>) =>
    work.then(
      () => "served",
      (error: Error) => error.message,
    );
  const byDigest = () => outcome(removed.requireAtSource(stored, digest));
  const byTag = () => outcome((async () => removed.refuseTag(stored, "1.0"))());
  return { scene, byDigest, byTag };
}

test("denies an image that the source denies twice, an hour apart", async () => {
  const { scene, byDigest } = openScene("Deny");
  expect(await byDigest()).toBe("served");
  scene.isAtSource = false;
  expect(await byDigest()).toBe("served");
  scene.time += HOUR_MS - 1;
  expect(await byDigest()).toBe("served");
  scene.time += 1;
  expect(await byDigest()).toContain(`team/app ${digest} was removed by the package source "hub"`);
  scene.isAtSource = true;
  expect(await byDigest()).toBe("served");
});

test("serves an image after one denial, and while the source fails", async () => {
  const { scene, byDigest } = openScene("Deny");
  scene.isAtSource = false;
  expect(await byDigest()).toBe("served");
  scene.time += 25 * HOUR_MS;
  expect(await byDigest()).toBe("served");
  scene.isAway = true;
  scene.time += 2 * HOUR_MS;
  expect(await byDigest()).toBe("served");
});

test.each([
  ["Deny", false, /^team\/app 1\.0 was removed by the package source "hub"/],
  ["Deny", true, /^served$/],
  ["Hide", false, /^served$/],
  ["Keep", false, /^served$/],
] as const)("with %s and offline %s, a removed image answers %s", async (...row) => {
  const [onRemoved, isOffline, answer] = row;
  const { scene, byDigest, byTag } = openScene(onRemoved, isOffline);
  scene.isAtSource = false;
  await byDigest();
  scene.time += HOUR_MS;
  expect(await byTag()).toMatch(answer);
  const isDenied = onRemoved === "Deny" && !isOffline;
  expect(await byDigest()).toMatch(isDenied ? /was removed/ : /^served$/);
});
