// `pnpm bench`: the budgets, measured against the built host. `--smoke` makes everything small.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openHost, makeToken } from "./host-process.ts";
import { measurePushes } from "./pushes.ts";
import { measureReads } from "./reads.ts";
import { formatTable, isWithinBudget } from "./result.ts";
import type { Result } from "./result.ts";
import { measureStartUp } from "./start-up.ts";

const smoke = process.argv.includes("--smoke");
const sizes = smoke ? { nupkgMib: 20, layerMib: 40 } : { nupkgMib: 500, layerMib: 2048 };

const folder = await mkdtemp(join(tmpdir(), "sealhouse-bench-"));
try {
  const data = join(folder, "data");
  const results: Result[] = [...(await measureStartUp(data))];
  const token = await makeToken(data);
  {
    await using host = await openHost(data);
    results.push(...(await measureReads(host, token, folder)));
  }
  {
    await using host = await openHost(data);
    results.push(...(await measurePushes(host, token, { folder, sizes })));
  }
  console.log(`\n${formatTable(results)}\n`);
  if (!results.every(isWithinBudget)) process.exitCode = 1;
} finally {
  await rm(folder, { recursive: true, force: true });
}
