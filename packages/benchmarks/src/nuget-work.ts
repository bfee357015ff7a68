import { readFile, rm } from "node:fs/promises";
import { writeNupkg } from "./artifacts.ts";
import type { Turns } from "./by-turns.ts";
import { expectStatus } from "./expect-status.ts";

export type NuGetSide = { readonly url: string; readonly pid: number; readonly token: string };
export type Work = Turns<NuGetSide>;

type Push = { readonly name: string; readonly bytes: number; readonly count: number };

const PUSHES: readonly Push[] = [
  { name: "10 KB", bytes: 10_000, count: 100 },
  { name: "1 MB", bytes: 1_000_000, count: 40 },
  { name: "50 MB", bytes: 50_000_000, count: 3 },
];

/** Pushes of packages of three sizes, each of them new, with the form that `dotnet` sends. */
export function nugetPushes(
  folder: string,
  { rounds, budget, share = 1 }: { rounds: number; budget: number; share?: number },
): readonly Work[] {
  return PUSHES.map(({ name, bytes, count }) => ({
    what: `NuGet push of ${name}`,
    count: Math.max(1, Math.round(count * share)),
    rounds,
    budget,
    async run(side, { round, index }) {
      const id = `Bench.Push${bytes}.R${round}.P${index}`;
      await pushForm(side, await packageOf(folder, id, "1.0.0", bytes));
    },
  }));
}

/** Pushes a package in a form. Throws when it is not taken. */
export async function pushForm(side: NuGetSide, body: Uint8Array<ArrayBuffer>): Promise<void> {
  const form = new FormData();
  form.append("package", new Blob([body]), "package.nupkg");
  const answer = await fetch(`${side.url}/api/v2/package`, {
    method: "PUT",
    headers: { "x-nuget-apikey": side.token },
    body: form,
  });
  await expectStatus(answer, 201);
}

export async function packageOf(
  folder: string,
  id: string,
  version: string,
  bytes: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const path = await writeNupkg(folder, { id, version }, bytes);
  const body = new Uint8Array(await readFile(path));
  await rm(path);
  return body;
}
