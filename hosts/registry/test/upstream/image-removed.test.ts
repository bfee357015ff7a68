import { join } from "node:path";
import { openSqliteFile } from "@sealhouse/database/testing";
import { expect, test } from "vitest";
import { imageOf, startMirrorHost } from "./mirror-host.ts";
import { openScriptedImages } from "./scripted-images.ts";

const SOON = { timeout: 10_000, interval: 200 };

/** Moves the first denials of the sources two hours into the past. */
function passTwoHours(folder: string): void {
  const database = openSqliteFile(join(folder, "sealhouse.db"));
  database.exec("update upstream_documents set gone_since = gone_since - 7200000");
  database.close();
}

test("a tag that its source has removed is hidden, still served, or denied", async () => {
  await using hub = await openScriptedImages();
  const image = imageOf("removed");
  const treatments = ["Hide", "Keep", "Deny"] as const;
  const sources = treatments.map((onRemoved) => ({
    name: onRemoved.toLowerCase(),
    url: hub.url,
    settings: { onRemoved, revalidateAfterMs: 100, allow: [`${onRemoved.toLowerCase()}/**`] },
  }));
  for (const { name } of sources) hub.put(`${name}/app`, image, "1.0");
  await using host = await startMirrorHost(sources);
  const ask = async (reference: string) =>
    Promise.all(sources.map(({ name }) => host.ask(`${name}/app/manifests/${reference}`)));
  const statuses = async (reference: string) => (await ask(reference)).map(({ status }) => status);
  expect(await statuses("1.0")).toEqual([200, 200, 200]);

  hub.fault = (_request, response) => {
    response.writeHead(404).end("{}");
    return true;
  };
  expect(await statuses("1.0")).toEqual([200, 200, 200]);
  await expect
    .poll(async () => {
      await statuses("1.0");
      passTwoHours(host.folder);
      return statuses("1.0");
    }, SOON)
    .toEqual([404, 200, 403]);
  const [, , denied] = await ask("1.0");
  expect(denied?.text).toMatch(/deny\/app 1\.0 was removed by the package source .*deny/);
  // One denial may be an error of the source.
  expect(await statuses(image.digest)).toEqual([200, 200, 200]);
}, 40_000);
