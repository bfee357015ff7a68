import { createHash } from "node:crypto";
import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildNupkg } from "@sealhouse/nuget-protocol/testing";
import { expect, test } from "vitest";
import { testSource } from "../../../testing/memory-parts.ts";
import { openScriptedFeed } from "../../../testing/scripted-feed.ts";
import { openMirrorFeed } from "../mirror-feed.test.support.ts";

const YEAR_MS = 365 * 24 * 60 * 60_000;
const fileOf = (version: string) =>
  `/v3/package/acme.widgets/${version}/acme.widgets.${version}.nupkg`;

/** A source with 1.0.0 and 1.1.0, and a global-packages folder with 1.0.0 and 9.0.0. */
async function openScene(options: {
  readonly isCopied?: boolean;
  readonly minimumReleaseAgeMs?: number;
}) {
  const { isCopied = true, minimumReleaseAgeMs = 0 } = options;
  const upstream = await openScriptedFeed(["content", "registration", "catalog"]);
  const path = await realpath(await mkdtemp(join(tmpdir(), "sealhouse-packages-")));
  for (const version of ["1.0.0", "1.1.0"]) upstream.put("Acme.Widgets", version);
  for (const version of ["1.0.0", "9.0.0"]) {
    const folder = join(path, "acme.widgets", version);
    await mkdir(folder, { recursive: true });
    const bytes = buildNupkg({ id: "Acme.Widgets", version });
    const file = join(folder, `acme.widgets.${version}.nupkg`);
    await writeFile(file, bytes);
    await writeFile(`${file}.sha512`, createHash("sha512").update(bytes).digest("base64"));
    const metadata = JSON.stringify({ version: 2, source: upstream.url.href });
    await writeFile(join(folder, ".nupkg.metadata"), metadata);
  }
  const source = testSource("nuget", upstream.url, { settings: { minimumReleaseAgeMs } });
  const localCache = { path, isCopied, warn: (text: string) => expect.fail(text) };
  const feed = openMirrorFeed([source], { localCache });
  const statusOf = async (version: string) => {
    const answer = await feed.get(fileOf(version));
    await answer.arrayBuffer();
    return answer.status;
  };
  const fetched = () => upstream.requests.filter((line) => line.endsWith(".nupkg"));
  return {
    feed,
    path,
    statusOf,
    fetched,
    async [Symbol.asyncDispose]() {
      await feed[Symbol.asyncDispose]();
      await upstream[Symbol.asyncDispose]();
      await rm(path, { recursive: true, force: true });
    },
  };
}

test.each([
  [true, 0],
  [false, 1],
])("takes a package from the folder first; copies: %s", async (isCopied, later) => {
  await using scene = await openScene({ isCopied });
  const bytes = await scene.feed.bytes(fileOf("1.0.0"));
  expect(Buffer.from(bytes)).toEqual(
    Buffer.from(buildNupkg({ id: "Acme.Widgets", version: "1.0.0" })),
  );
  expect(scene.fetched()).toEqual([]);
  const stored = await scene.feed.memory.ports.lookup.find("acme.widgets", "1.0.0");
  expect(stored?.origin).toBe(isCopied ? "Mirrored" : undefined);
  expect(await scene.statusOf("1.1.0")).toBe(200);
  expect(scene.fetched()).toHaveLength(1);
  await rm(scene.path, { recursive: true });
  expect(await scene.statusOf("1.0.0")).toBe(200);
  expect(scene.fetched()).toHaveLength(1 + later);
});

test("serves no version of the folder that the source lacks", async () => {
  await using scene = await openScene({});
  expect(await scene.statusOf("9.0.0")).toBe(404);
});

test("holds young versions back, although the folder has them", async () => {
  await using scene = await openScene({ minimumReleaseAgeMs: 100 * YEAR_MS });
  expect(await scene.statusOf("1.0.0")).toBe(404);
  expect(scene.fetched()).toEqual([]);
});
