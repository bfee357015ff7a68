import { readFile } from "node:fs/promises";
import { HOSTILE_ANSWERS } from "@sealhouse/upstream-sources/testing";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import type { HostProcess } from "../../src/testing/index.ts";
import { spawnHost } from "../../src/testing/index.ts";
import { addSources } from "./add-source.ts";
import type { AttackedSource } from "./attacked-sources.ts";
import { OPEN_ATTACKED } from "./attacked-sources.ts";

const PROTOCOLS = ["npm", "nuget", "oci"] as const;
const ATTACKS = Object.keys(HOSTILE_ANSWERS);
const PARTS = ["document", "file"] as const;
const RESIDENT_KILOBYTES_MAX = 450_000;

const cleanUp = new AsyncDisposableStack();
const sources = new Map<string, AttackedSource>();
let host: HostProcess;

beforeAll(async () => {
  const env = { Signing__Mode: "", Feed__Oci__Default__Enabled: "true" };
  host = cleanUp.use(await spawnHost({ env }));
  const names = PARTS.flatMap((part) => ATTACKS.map((attack) => `${part}-${attack}`));
  for (const protocol of PROTOCOLS) {
    for (const name of names) {
      const source = cleanUp.use(await OPEN_ATTACKED[protocol](name));
      sources.set(`${protocol} ${name}`, source);
    }
  }
  await addSources(
    host,
    [...sources.values()].map(({ added }) => added),
  );
});
afterAll(() => cleanUp.disposeAsync());

function sourceOf(name: string): AttackedSource {
  return sources.get(name) ?? expect.unreachable();
}

type Got = { readonly status: number; readonly retryAfter: number; readonly bytes: Buffer };

/** A client that was cut off gets undefined. */
async function get(path: string): Promise<Got | undefined> {
  try {
    const response = await host.fetch(path);
    const bytes = Buffer.from(await response.bytes());
    const retryAfter = Number(response.headers.get("retry-after"));
    return { status: response.status, retryAfter, bytes };
  } catch {
    return undefined;
  }
}

/** The wrong answer of the host; undefined when it is as it must be. */
function wrong(got: Got | undefined, source: string): string | undefined {
  const text = got?.bytes.toString() ?? "";
  const isClear =
    got?.status === 503 &&
    got.retryAfter > 0 &&
    text.includes("package source") &&
    text.includes(source);
  return isClear ? undefined : `${got?.status} ${got?.retryAfter} ${text.slice(0, 300)}`;
}

/** All who ask at the same moment share a failure. */
async function untilRead(path: string, read: (got: Got | undefined) => void): Promise<void> {
  await vi.waitFor(async () => read(await get(path)), { timeout: 30_000, interval: 500 });
}

test.concurrent.each(PROTOCOLS)(
  "answers 503 to hostile documents of %s, then serves the package",
  async (protocol) => {
    const attacked = ATTACKS.map(async (attack) => {
      const source = sourceOf(`${protocol} document-${attack}`);
      source.attack("document", HOSTILE_ANSWERS[attack]);
      const problem = wrong(await get(source.document), source.added.name);
      source.attack("document", undefined);
      await untilRead(source.document, (got) => expect(got?.status).toBe(200));
      return [attack, problem];
    });
    expect(await Promise.all(attacked)).toEqual(ATTACKS.map((attack) => [attack, undefined]));
  },
);

test.concurrent.each(PROTOCOLS)(
  "names no hostile file of %s, then serves the right one",
  async (protocol) => {
    const attacked = ATTACKS.map(async (attack) => {
      const source = sourceOf(`${protocol} file-${attack}`);
      expect((await get(source.document))?.status).toBe(200);
      source.attack("file", HOSTILE_ANSWERS[attack]);
      const got = await get(source.file);
      source.attack("file", undefined);
      const right = { status: 200, retryAfter: 0, bytes: Buffer.from(source.bytes) };
      await untilRead(source.file, (later) => expect(later).toEqual(right));
      return [attack, got && wrong(got, source.added.name)];
    });
    expect(await Promise.all(attacked)).toEqual(ATTACKS.map((attack) => [attack, undefined]));
  },
);

test("needs little memory for all of them", async () => {
  const status = await readFile(`/proc/${host.pid}/status`, "utf8");
  const kilobytes = Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]);
  expect(kilobytes).toBeLessThan(RESIDENT_KILOBYTES_MAX);
});
