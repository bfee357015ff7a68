import { spawn } from "node:child_process";

export type Load = { readonly requestsPerSecond: number; readonly p99Ms: number };

const CONNECTIONS = 16;

const GZIP = { "accept-encoding": "gzip" };

export type Drive = {
  /** Default: gzip is accepted, as package clients do. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly connections?: number;
  /** Errors are the expected answer. */
  readonly refused?: boolean;
};

/** Drives `url` with wrk and keep-alive connections, 16 unless told. */
export async function drive(url: string, seconds: number, how: Drive = {}): Promise<Load> {
  const { headers = GZIP, connections = CONNECTIONS, refused = false } = how;
  const args = ["-t1", `-c${connections}`, `-d${seconds}s`, "--latency", "--timeout", "20s"];
  for (const [name, value] of Object.entries(headers)) args.push("-H", `${name}: ${value}`);
  args.push(url);
  const child = spawn("wrk", args, { stdio: ["ignore", "pipe", "inherit"] });
  const failed = new Promise<never>((_, reject) => {
    child.once("error", () => reject(new Error("wrk is not on the PATH: install the package wrk")));
  });
  const report = Buffer.concat(
    await Promise.race([Array.fromAsync(child.stdout), failed]),
  ).toString();
  if (!refused && /Non-2xx/.test(report)) throw new Error(`${url} answered errors:\n${report}`);
  return {
    requestsPerSecond: Number(report.match(/Requests\/sec:\s+([\d.]+)/)?.[1]),
    p99Ms: parseLatency(report.match(/99%\s+([\d.]+)(us|ms|s)/)),
  };
}

function parseLatency(match: RegExpMatchArray | null): number {
  const scale = { us: 0.001, ms: 1, s: 1000 }[match?.[2] ?? ""];
  return Number(match?.[1]) * (scale ?? Number.NaN);
}
