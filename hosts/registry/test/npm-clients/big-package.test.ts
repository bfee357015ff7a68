import { randomBytes } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { installedClients } from "./installed-clients.ts";
import { openNpmClients } from "./npm-clients.ts";

const MIB = 1024 * 1024;

test.skipIf(!installedClients().includes("pnpm-12"))(
  "pnpm 12 publishes 100 MB, and the host needs at most 50 MB more for it",
  async () => {
    await using clients = await openNpmClients({ only: ["pnpm-12"] });
    const { host } = clients;
    const client = clients.client("pnpm-12");
    // A first publish loads what every publish needs.
    expect((await client.publish(await client.source("small", "1.0.0"))).code).toBe(0);
    const idle = await memoryOf(host.pid, "VmRSS");

    const source = await client.source("big", "1.0.0");
    await writeFile(join(source, "noise.bin"), randomBytes(100 * MIB));
    const sent = await client.publish(source);
    expect(sent.code, sent.output).toBe(0);
    const peak = await memoryOf(host.pid, "VmHWM");
    expect((peak - idle) / MIB).toBeLessThanOrEqual(50);
  },
);

/** In bytes. `VmRSS` is what a process holds now, `VmHWM` the most it ever held. */
async function memoryOf(pid: number, field: "VmRSS" | "VmHWM"): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  const [, kib = "NaN"] = new RegExp(`^${field}:\\s+(\\d+) kB`, "m").exec(status) ?? [];
  return Number(kib) * 1024;
}
