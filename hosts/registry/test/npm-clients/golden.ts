import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { expect } from "vitest";
import type { Recorded } from "./recording-proxy.ts";

/**
 * Holds what a client asked for against the file `golden/<name>.txt`, so that a change of a client
 * (or of what we make it ask) is seen. With UPDATE=1 in the environment the file is written.
 */
export async function expectGolden(name: string, requests: readonly Recorded[]): Promise<void> {
  const file = fileURLToPath(new URL(`golden/${name}.txt`, import.meta.url));
  const now = goldenText(requests);
  if (process.env["UPDATE"] !== undefined) {
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, now);
  }
  expect(now, `golden/${name}.txt; UPDATE=1 writes it anew`).toBe(await readFile(file, "utf8"));
}

/** One line for each request. Reads that stand together are sorted by address: clients send them at
 * the same time, and they come in any order. */
export function goldenText(requests: readonly Recorded[]): string {
  const groups: Recorded[][] = [];
  let wasRead = false;
  for (const request of requests) {
    const isRead =
      request.method === "GET" || request.method === "HEAD" || request.path.includes("/security/");
    if (!isRead || !wasRead) groups.push([]);
    groups.at(-1)?.push(request);
    wasRead = isRead;
  }
  const sorted = groups.flatMap((group) => group.toSorted(byPath));
  return `${sorted.map(lineOf).join("\n")}\n`;
}

function byPath(a: Recorded, b: Recorded): number {
  if (a.path === b.path) return 0;
  return a.path < b.path ? -1 : 1;
}

function lineOf({ method, path, accept, status }: Recorded): string {
  const plain = path
    .replace(/\/-rev\/[0-9]+-[0-9a-f]{32}/g, "/-rev/<revision>")
    .replace(/\bshp_[A-Za-z0-9_-]+/g, "<token>");
  return `${method} ${plain} ${accept === undefined ? "-" : JSON.stringify(accept)} ${status}`;
}
