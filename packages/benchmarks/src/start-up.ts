import { setTimeout as delay } from "node:timers/promises";
import { openHost } from "./host-process.ts";
import { cpuSeconds, residentMib, untilIdle } from "./process-figures.ts";
import type { Result } from "./result.ts";
import { openVerdaccio } from "./verdaccio.ts";

const ROUNDS = 5;
const SETTLES_MS = 3_000;

/** Start to the first 200 on a folder that is already there, compared with Verdaccio, and what the
 * process holds at rest. */
export async function measureStartUp(folder: string): Promise<readonly Result[]> {
  await using first = await openHost(folder);
  await (await fetch(`${first.url}/v3/index.json`)).arrayBuffer();
  const firstCpu = cpuSeconds(first.pid);
  // It makes its keys first, which no later start does again.
  await untilIdle(first.pid);
  const firstRestMib = residentMib(first.pid);
  await first[Symbol.asyncDispose]();

  const rounds: { cpu: number; wallMs: number; restMib: number }[] = [];
  const peerSeconds: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    rounds.push(await oneStart(folder, round === 0));
    await using peer = await openVerdaccio(`${folder}-verdaccio-${round}`);
    peerSeconds.push(peer.startCpuSeconds);
  }
  const wallMs = median(rounds.map((round) => round.wallMs));
  const cpu = median(rounds.map((round) => round.cpu));
  const peerCpu = median(peerSeconds);
  return [
    {
      what: "start to first 200, existing data",
      figure: cpu / peerCpu,
      unit: "of Verdaccio's CPU time",
      budget: 0.8,
      bound: "at most",
      remark:
        `medians of ${ROUNDS}; ${cpu.toFixed(2)} against ${peerCpu.toFixed(2)} CPU s; ` +
        `${wallMs.toFixed(0)} ms on the clock`,
    },
    {
      what: "resident memory at rest",
      figure: rounds[0]?.restMib ?? Number.NaN,
      unit: "MiB",
      budget: 120,
      bound: "at most",
      remark: `${SETTLES_MS / 1000} s after the first 200`,
    },
    {
      what: "the same after the very first start, which made database and keys",
      figure: firstRestMib,
      unit: "MiB",
      budget: 100,
      bound: "at most",
    },
    {
      what: "CPU time of the very first start compared with a later one",
      figure: firstCpu / cpu,
      unit: "times",
      budget: 1.2,
      bound: "at most",
      remark: `${firstCpu.toFixed(2)} against ${cpu.toFixed(2)} CPU s`,
    },
  ];
}

async function oneStart(
  folder: string,
  rest: boolean,
): Promise<{ cpu: number; wallMs: number; restMib: number }> {
  await using host = await openHost(folder);
  const answer = await fetch(`${host.url}/v3/index.json`);
  await answer.arrayBuffer();
  if (answer.status !== 200) throw new Error(`the service index answered ${answer.status}`);
  const cpu = cpuSeconds(host.pid);
  if (rest) await delay(SETTLES_MS);
  return { cpu, wallMs: host.readyAfterMs, restMib: residentMib(host.pid) };
}

export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
