// `pnpm bench [section …]`: the budgets, measured against the built host; without a section all of
// them. `--smoke` makes everything small. `versions` compares with the host of `--base COMMIT`,
// with `--only` nuget, npm or images. `mixed-load` takes `--minutes`.
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { leaveTestServers } from "@sealhouse/database/testing";
import { measureEventDeliveries } from "./event-deliveries.ts";
import { makeToken, openHost } from "./host-process.ts";
import { measureHotReads } from "./hot-reads.ts";
import { measureImages } from "./images.ts";
import { measureInstances } from "./instances.ts";
import { measureManyPushes } from "./many-pushes.ts";
import { measureFirstBytes } from "./mirror-first-byte.ts";
import { measureMirroredImages } from "./mirror-images.ts";
import { measureMirror } from "./mirror.ts";
import { measureMixedLoad } from "./mixed-load.ts";
import { measureNpmDatabases } from "./npm-databases.ts";
import { measureHotWhilePublished } from "./npm-hot-while-published.ts";
import { measureNpmPublishes } from "./npm-publish.ts";
import { measureNpmSearch } from "./npm-search.ts";
import { measureNpmReads } from "./npm-reads.ts";
import { measureNuGetPeers } from "./nuget-peers.ts";
import { measureOciGarbage } from "./oci-garbage.ts";
import { measurePromotion } from "./promotion.ts";
import { measurePushes } from "./pushes.ts";
import { measureReads } from "./reads.ts";
import { measureRestore } from "./restore.ts";
import { formatTable, isWithinBudget } from "./result.ts";
import type { Result } from "./result.ts";
import { measureGrowth, measureSearch } from "./search-load.ts";
import { measureSigning } from "./signing.ts";
import { measureStartUp } from "./start-up.ts";
import { measureVersions } from "./versions.ts";

type Section = (folder: string, smoke: boolean) => Promise<readonly Result[]>;

const SECTIONS: Readonly<Record<string, Section>> = {
  start: (folder) => measureStartUp(join(folder, "data")),
  async reads(folder) {
    const data = join(folder, "data");
    const token = await makeToken(data);
    await using host = await openHost(data);
    return await measureReads(host, token, folder);
  },
  async memory(folder, smoke) {
    const data = join(folder, "data");
    const token = await makeToken(data);
    await using host = await openHost(data);
    const sizes = smoke ? { nupkgMib: 20, layerMib: 40 } : { nupkgMib: 500, layerMib: 2048 };
    return await measurePushes(host, token, { folder, sizes });
  },
  "mixed-load": (folder, smoke) =>
    measureMixedLoad(folder, { minutes: smoke ? 0.2 : Number(values.minutes) }),
  "npm-publish": (folder, smoke) =>
    measureNpmPublishes(folder, {
      packages: smoke ? 20 : 300,
      versions: smoke ? 150 : 5_000,
      tarballMib: smoke ? 20 : 300,
      peer: smoke
        ? { packages: 20, rounds: 2, tarballMib: 5 }
        : { packages: 200, rounds: 10, tarballMib: 50 },
    }),
  "npm-search": (folder, smoke) =>
    measureNpmSearch(
      folder,
      smoke ? { names: [200, 2_000], questions: 5 } : { names: [20_000, 200_000], questions: 40 },
    ),
  events: (folder, smoke) => measureEventDeliveries(folder, { events: smoke ? 1_000 : 10_000 }),
  "oci-gc": (folder, smoke) => measureOciGarbage(folder, { blobs: smoke ? 5_000 : 100_000 }),
  pushes: (folder, smoke) => measureManyPushes(folder, { packages: smoke ? 50 : 1_000 }),
  search: (folder, smoke) =>
    measureSearch(folder, {
      sizes: smoke ? { ids: 1_000, versions: 10_000 } : { ids: 20_000, versions: 200_000 },
      seconds: smoke ? 5 : 60,
    }),
  growth: (folder, smoke) =>
    measureGrowth(folder, {
      sizes: smoke ? { ids: 1_000, versions: 5_000 } : { ids: 20_000, versions: 100_000 },
    }),
  signing: measureSigning,
  async npm(folder, smoke) {
    const data = join(folder, "data");
    const token = await makeToken(data);
    await using host = await openHost(data, { logTo: join(folder, "host.log") });
    const sizes = smoke
      ? { versions: 20, rounds: 1, seconds: 2 }
      : { versions: 500, rounds: 5, seconds: 2 };
    return await measureNpmReads(host, token, { ...sizes, folder: join(folder, "verdaccio") });
  },
  "npm-databases": async (folder, smoke) => {
    const rounds = smoke ? 1 : 6;
    return [
      ...(await measureNpmDatabases(folder, { rounds, seconds: 2, publishes: smoke ? 10 : 50 })),
      ...(await measureHotWhilePublished(folder, { rounds, seconds: smoke ? 1 : 3 })),
    ];
  },
  "hot-reads": (folder, smoke) =>
    measureHotReads(folder, smoke ? { rounds: 2, seconds: 1 } : { rounds: 9, seconds: 2 }),
  mirror: (folder, smoke) =>
    measureMirror(folder, {
      packages: smoke ? 20 : 300,
      rounds: smoke ? 1 : 5,
      seconds: smoke ? 1 : 2,
    }),
  "mirror-files": async (folder, smoke) => [
    ...(await measureFirstBytes(folder, smoke ? { mib: 20, rounds: 1 } : { mib: 200, rounds: 3 })),
    ...(await measureMirroredImages(
      join(folder, "images"),
      smoke ? { images: 5, rounds: 1 } : { images: 20, rounds: 5 },
    )),
  ],
  instances: (folder, smoke) =>
    measureInstances(folder, smoke ? { rounds: 1, seconds: 2 } : { rounds: 5, seconds: 3 }),
  async oci(folder, smoke) {
    const data = join(folder, "data");
    const token = await makeToken(data);
    await using host = await openHost(data, { logTo: join(folder, "host.log") });
    const sizes = smoke
      ? { layerMib: 32, small: 100, rounds: 1, manifests: 100 }
      : { layerMib: 512, small: 2_000, rounds: 3, manifests: 10_000 };
    return await measureImages(host, token, { ...sizes, folder });
  },
  promotion: (folder, smoke) =>
    measurePromotion(
      folder,
      smoke
        ? { images: 5, mib: 40, rounds: 1, packages: 20 }
        : { images: 50, mib: 2_048, rounds: 3, packages: 200 },
    ),
  "nuget-peers": (folder, smoke) =>
    measureNuGetPeers(
      folder,
      smoke ? { rounds: 1, versions: 20, share: 0.05 } : { rounds: 7, versions: 500, share: 1 },
    ),
  versions: (folder, smoke) =>
    measureVersions(
      folder,
      base,
      smoke
        ? { rounds: 1, small: 20, share: 0.05, only }
        : { rounds: 7, small: 500, share: 1, only },
    ),
  restore: (folder, smoke) => measureRestore(folder, { packages: smoke ? 20 : 150 }),
};

const { values, positionals: names } = parseArgs({
  allowPositionals: true,
  options: {
    smoke: { type: "boolean", default: false },
    base: { type: "string" },
    only: { type: "string" },
    minutes: { type: "string", default: "20" },
  },
});
const { smoke, base, only } = values;
const unknown = names.filter((name) => !Object.hasOwn(SECTIONS, name));
if (unknown.length > 0) {
  throw new RangeError(
    `no section ${unknown.join(", ")}; there are ${Object.keys(SECTIONS).join(", ")}`,
  );
}

const results: Result[] = [];
for (const [name, measure] of Object.entries(SECTIONS)) {
  if (names.length > 0 && !names.includes(name)) continue;
  const folder = await mkdtemp(join(tmpdir(), "sealhouse-bench-"));
  try {
    await mkdir(join(folder, "data"));
    console.log(`\n${name} …`);
    results.push(...(await measure(folder, smoke)));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
await leaveTestServers();
console.log(`\n${formatTable(results)}\n`);
if (!results.every(isWithinBudget)) process.exitCode = 1;
