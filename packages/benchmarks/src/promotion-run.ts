import { setTimeout as delay } from "node:timers/promises";
import { startCommand } from "./host-process.ts";
import { peakMib } from "./process-figures.ts";

const LOOK_EVERY_MS = 20;
/** Exit code of a release that continues in the background. */
const PENDING = 4;

export type Promoted = {
  readonly seconds: number;
  /** Peak of the command, which carries the release out. */
  readonly peakMib: number;
};

/** Releases a group with the command line, and measures it until it has ended. */
export async function promote(folder: string, group: string): Promise<Promoted> {
  const startMs = performance.now();
  const command = startCommand(folder, ["promote", group]);
  let peak = 0;
  while (!(await Promise.race([command.end, delay(LOOK_EVERY_MS)]))) {
    peak = Math.max(peak, peakOf(command.pid));
  }
  await expectSuccess(`promote ${group}`, command.end);
  const seconds = (performance.now() - startMs) / 1000;
  return { seconds, peakMib: peak };
}

/** Opens a release to a paused target of the name of its group, then lets the host carry it out. */
export async function promoteInHost(folder: string, name: string): Promise<void> {
  const run = (...words: readonly string[]) => startCommand(folder, words).end;
  await expectSuccess("target pause", run("target", "pause", name, "--reason", "benchmark"));
  const { code, stderr } = await run("promote", name, "--no-wait");
  if (code !== PENDING) throw new Error(`promote ${name} ended with ${code}: ${stderr}`);
  await expectSuccess("target resume", run("target", "resume", name));
}

/** 0 when the process has just ended. */
function peakOf(pid: number): number {
  try {
    return peakMib(pid) || 0;
  } catch {
    return 0;
  }
}

type Target = {
  readonly name: string;
  readonly protocol: "nuget" | "npm" | "oci";
  readonly endpoint: string;
  readonly token?: string;
};

export async function addTarget(
  folder: string,
  { name, protocol, endpoint, token }: Target,
): Promise<void> {
  const words = ["target", "add", name, "--protocol", protocol, "--endpoint", endpoint];
  const secret = token === undefined ? [] : ["--token-env", "TARGET_TOKEN"];
  const env = token === undefined ? {} : { TARGET_TOKEN: token };
  const all = [...words, "--allow-private-network", ...secret];
  await expectSuccess(words.join(" "), startCommand(folder, all, env).end);
}

export async function addGroup(
  folder: string,
  group: { readonly name: string; readonly members: readonly string[]; readonly target: string },
): Promise<void> {
  const { name, members, target } = group;
  const words = ["group", "add", name, "--member", ...members, "--target", target];
  await expectSuccess(words.join(" "), startCommand(folder, words).end);
}

async function expectSuccess(
  what: string,
  end: Promise<{ readonly code: number | null; readonly stderr: string }>,
): Promise<void> {
  const { code, stderr } = await end;
  if (code !== 0) throw new Error(`${what} ended with ${code}: ${stderr}`);
}
