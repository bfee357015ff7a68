import { randomBytes } from "node:crypto";
import { mkdir, open, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { spawnHost } from "../../src/testing/index.ts";
import type { Artifact } from "../artifacts.ts";
import { nugetArtifact, npmArtifact, ociArtifact } from "../artifacts.ts";
import { canCutDisks, openCuttableDisk } from "./power-cut-disk.ts";

/** One cut in CI; `pnpm test:extended` makes more. */
const CUTS = Number(process.env["SEALHOUSE_POWER_CUTS"] ?? "1");
const UPLOADS_EACH = 8;
/** In a row of the database, and in files. */
const SIZES = [300, 200_000];
const POLL_MS = 5;

describe.skipIf(!(await canCutDisks()))("SQLite and files on a disk that loses its power", () => {
  test("a cut keeps what was synced and loses what was not", async () => {
    await using disk = await openCuttableDisk();
    const [synced, unsynced] = ["synced", "unsynced"].map((name) => join(disk.path, name));
    if (synced === undefined || unsynced === undefined) throw new Error("no paths");
    await writeFile(unsynced, "gone");
    {
      await using file = await open(synced, "w");
      await file.writeFile("kept");
      await file.sync();
    }
    await writeFile(join(disk.path, "late"), "gone");
    disk.cut();
    await expect(writeFile(join(disk.path, "after"), "x")).rejects.toThrow(/EIO/);
    disk.restore();
    expect(await readFile(synced, "utf8")).toBe("kept");
    expect(await readFile(unsynced, "utf8").catch(() => "")).toBe("");
    await expect(readFile(join(disk.path, "late"))).rejects.toThrow(/ENOENT/);
  });

  for (let cut = 1; cut <= CUTS; cut += 1) {
    test(`loses nothing that was acknowledged, cut ${cut}`, async () => {
      await using disk = await openCuttableDisk();
      const folder = join(disk.path, "data");
      await mkdir(folder);
      const artifacts = manyArtifacts(cut);
      const acknowledged = new Set<Artifact>();
      {
        const host = await spawnHost({ folder });
        const token = await host.makeToken({ scopes: "read,write" });
        const pushes = artifacts.map(async (artifact) => {
          if (await artifact.push(host, token).catch(() => false)) acknowledged.add(artifact);
        });
        const isOver = settled(pushes);
        while (acknowledged.size < acknowledgedBefore(cut) && !isOver()) await delay(POLL_MS);
        // Answers that arrive after the cut were sent before it, or are wrong.
        disk.cut();
        await host.kill();
        await Promise.all(pushes);
      }
      disk.restore();
      await using host = await spawnHost({ folder });
      const states = await Promise.all(artifacts.map((artifact) => artifact.check(host)));
      const lost = artifacts.filter(
        (artifact, index) => acknowledged.has(artifact) && states[index] !== "whole",
      );
      expect(lost.map((artifact) => artifact.name)).toEqual([]);
      expect(states.filter((state) => state === "broken")).toEqual([]);
      expect(acknowledged.size).toBeGreaterThan(0);
      const checked = await host.cli("check", "--scrub");
      expect(checked.code).toBe(0);
    }, 240_000);
  }
});

/** Each cut happens at another point of the work, including before the first package is signed. */
function acknowledgedBefore(cut: number): number {
  return 1 + ((cut * 7) % (UPLOADS_EACH * SIZES.length * 2));
}

function settled(pushes: readonly Promise<unknown>[]): () => boolean {
  let isOver = false;
  void Promise.allSettled(pushes).then(() => (isOver = true));
  return () => isOver;
}

function manyArtifacts(cut: number): readonly Artifact[] {
  const all: Artifact[] = [];
  for (let n = 0; n < UPLOADS_EACH; n += 1) {
    for (const size of SIZES) {
      const content = randomBytes(size);
      const label = `c${cut}-s${size}-n${n}`;
      all.push(nugetArtifact(`Power.C${cut}.S${size}.N${n}`, content));
      all.push(npmArtifact(`power-${label}`, content));
      all.push(ociArtifact(`power/${label}`, content));
    }
  }
  return all;
}
