import { once } from "node:events";
import { rmSync } from "node:fs";
import { mkdir, mkdtemp, utimes, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { getRequestListener } from "@hono/node-server";
import { openDatabase } from "@sealhouse/database";
import type { Database } from "@sealhouse/database";
import { createNuGetApp } from "@sealhouse/nuget-protocol";
import type { NuGetPorts } from "@sealhouse/nuget-protocol";
import { publish, writeCatalog } from "@sealhouse/nuget-protocol/package";
import {
  buildNupkg,
  createMemoryCatalog,
  createMemoryNuGetPorts,
  testCaller,
} from "@sealhouse/nuget-protocol/testing";
import type { ImportReport } from "@sealhouse/upstream-sources";
import { loadConfig } from "../../src/settings/load.ts";
import { runCommandLine } from "../../src/commands/run.ts";

export const root = await mkdtemp(join(tmpdir(), "sealhouse-import-"));
process.once("exit", () => rmSync(root, { recursive: true }));

export const LONG_AGO = new Date("2019-08-07T06:05:04.000Z");

/** A separate host for each test, used only by the command line. */
export async function openHost(what: "nuget" | "npm" = "nuget") {
  const folder = await mkdtemp(join(root, "host-"));
  const env = {
    ASPNETCORE_ENVIRONMENT: "Development",
    Host__DataPath: join(folder, "data"),
    Signing__Mode: "",
    Host__OutgoingRequests__AllowPrivateAddresses: "true",
    FEED_PASSWORD: "open sesame",
  };
  const run = async (words: readonly string[], more: Record<string, string> = {}) => {
    const lines = { printed: [] as string[], stderr: [] as string[] };
    const code = await runCommandLine(["import", what, ...words], {
      env: { ...env, ...more },
      workingFolder: folder,
      extensions: [],
      stop: new AbortController().signal,
      stdout: (text) => lines.printed.push(text),
      stderr: (text) => lines.stderr.push(text),
    });
    return { code, printed: lines.printed.join("\n"), stderr: lines.stderr.join("\n") };
  };
  const database = async (): Promise<Database> => {
    const { config } = loadConfig({ env, workingFolder: folder });
    return openDatabase(config.database);
  };
  const report = async (...words: readonly string[]) => {
    const { code, printed, stderr } = await run([...words, "--json"]);
    if (printed === "") throw new Error(`The import ended with ${code}: ${stderr}`);
    return { code, ...(JSON.parse(printed) as ImportReport) };
  };
  return { run, report, database, folder };
}

export async function put(path: string, bytes: Uint8Array, time: Date = LONG_AGO): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, bytes);
  await utimes(path, time, time);
}

type Source = AsyncDisposable & {
  readonly url: string;
  readonly requests: string[];
  /** While it gives a number, requests whose path fits are answered with it. */
  readonly failing: { path: RegExp; status: number };
  readonly memory: ReturnType<typeof createMemoryCatalog>;
  fill(id: string, ...versions: readonly string[]): Promise<void>;
};

/** Our own feed in the role of a foreign feed, over a socket, with or without a catalog. */
export async function openFeed(overrides: Partial<NuGetPorts> = {}): Promise<Source> {
  const memory = createMemoryCatalog();
  const { ports } = createMemoryNuGetPorts({
    ...memory,
    address: (request) => ({ base: new URL(request.url).origin, cacheable: true }),
    ...overrides,
  });
  const app = createNuGetApp(ports);
  const requests: string[] = [];
  const failing = { path: /never/, status: 503 };
  const answer = getRequestListener((request) => {
    const { pathname } = new URL(request.url);
    requests.push(pathname);
    if (failing.path.test(pathname)) return new Response("", { status: failing.status });
    return app.fetch(request);
  });
  const server = createServer((incoming, outgoing) => void answer(incoming, outgoing));
  await once(server.listen(0, "127.0.0.1"), "listening");
  const address = server.address();
  const port = typeof address === "object" ? address?.port : undefined;
  let events = 0;
  return {
    url: `http://127.0.0.1:${port}/v3/index.json`,
    requests,
    failing,
    memory,
    async fill(id, ...versions) {
      for (const version of versions) {
        await publish(ports, {
          body: bytesOf(buildNupkg({ id, version })),
          caller: testCaller,
          now: LONG_AGO,
          allow: async () => undefined,
        });
        events += 1;
        const event = { id: String(events), type: "package.published", at: LONG_AGO };
        const subject = `nuget/${id}@${version}`;
        await writeCatalog(memory, [{ ...event, subject }]);
      }
    },
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}

export async function* bytesOf(bytes: Uint8Array) {
  yield bytes;
}
