import { spawn } from "node:child_process";

export type Load = { readonly requestsPerSecond: number; readonly p99Ms: number };

const CONNECTIONS = 16;

/** Drives `url` with wrk, 16 keep-alive connections and gzip accepted, as package clients do. */
export async function drive(url: string, seconds: number): Promise<Load> {
  const args = [
    "-t1",
    `-c${CONNECTIONS}`,
    `-d${seconds}s`,
    "--latency",
    "-H",
    "Accept-Encoding: gzip",
    url,
  ];
  const child = spawn("wrk", args, { stdio: ["ignore", "pipe", "inherit"] });
  const failed = new Promise<never>((_, reject) => {
    child.once("error", () => reject(new Error("wrk is not on the PATH: install the package wrk")));
  });
  const report = Buffer.concat(
    await Promise.race([Array.fromAsync(child.stdout), failed]),
  ).toString();
  if (/Non-2xx/.test(report)) throw new Error(`${url} answered errors:\n${report}`);
  return {
    requestsPerSecond: Number(report.match(/Requests\/sec:\s+([\d.]+)/)?.[1]),
    p99Ms: parseLatency(report.match(/99%\s+([\d.]+)(us|ms|s)/)),
  };
}

function parseLatency(found: RegExpMatchArray | null): number {
  const scale = { us: 0.001, ms: 1, s: 1000 }[found?.[2] ?? ""];
  return Number(found?.[1]) * (scale ?? Number.NaN);
}
