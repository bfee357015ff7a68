import { readdir, readlink } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "vitest";
import type { HostProcess } from "../src/testing/index.ts";

/** Folders of objects that no request wrote. */
const OF_THE_HOST = ["packages/certs", "packages/health"];

export type Traces = { readonly files: readonly string[]; readonly handles: number };

/**
 * Every stored object and every handle that the host holds on a file of its data folder, without
 * the certificates and the probes, which the host writes in the background.
 */
export async function tracesOf(host: HostProcess): Promise<Traces> {
  const files = await readdir(join(host.folder, "packages"), {
    recursive: true,
    withFileTypes: true,
  });
  const handles = await readdir(`/proc/${host.pid}/fd`);
  const targets = await Promise.all(
    handles.map((fd) => readlink(`/proc/${host.pid}/fd/${fd}`).catch(() => "")),
  );
  return {
    files: files
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .filter((path) => !OF_THE_HOST.some((part) => path.startsWith(join(host.folder, part))))
      .toSorted(),
    handles: targets.filter((target) => target.startsWith(join(host.folder, "packages"))).length,
  };
}

function isIncoming(path: string): boolean {
  return path.includes("/.incoming/");
}

/** Nothing is left that was not there before, or soon nothing is. */
export async function expectTraces(host: HostProcess, before: Traces): Promise<void> {
  // The host may have closed a handle since, and deleted the bytes of an earlier request.
  const traces = async () => {
    const { files, handles } = await tracesOf(host);
    const deleted = before.files.filter((path) => isIncoming(path) && !files.includes(path));
    return {
      files: [...files, ...deleted].toSorted(),
      handles: Math.max(handles, before.handles),
    };
  };
  await expect.poll(traces, { timeout: 5_000 }).toEqual(before);
}
