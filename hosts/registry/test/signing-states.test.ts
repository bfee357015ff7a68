import { cp, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { TestHost } from "../src/testing/index.ts";
import { startHost } from "../src/testing/index.ts";
import { openFolder } from "./clients/client.ts";
import type { Carries, Fate } from "./signed-packages.ts";
import { CARRIES, fateOf, packageThat } from "./signed-packages.ts";

// The rows of the specification's table "States and transitions" about packages, each with a real
// push and a real download.

type Origin = "published" | "mirrored";
type Row = readonly [Carries, Origin, off: Fate, reSign: Fate, reject: Fate];
const COLUMNS = { off: 2, ReSign: 3, Reject: 4 } as const;

const SIGNED = "is signed";
const COUNTERSIGNED = "is countersigned";
const AS_IT_CAME = "is as it came";
const NOT_THERE = "is not there";
const UPSTREAM = "an upstream repository signature";
const BOTH = "an author signature and an upstream countersignature";

const UPLOADS: readonly Row[] = [
  // A package that carries …, origin | signing off | ReSign | Reject
  ["no signature", "published", AS_IT_CAME, SIGNED, SIGNED],
  ["no signature", "mirrored", AS_IT_CAME, SIGNED, SIGNED],
  ["an author signature", "published", AS_IT_CAME, COUNTERSIGNED, COUNTERSIGNED],
  ["an author signature", "mirrored", AS_IT_CAME, COUNTERSIGNED, COUNTERSIGNED],
  [UPSTREAM, "published", AS_IT_CAME, SIGNED, NOT_THERE],
  [UPSTREAM, "mirrored", AS_IT_CAME, SIGNED, AS_IT_CAME],
  [BOTH, "published", AS_IT_CAME, COUNTERSIGNED, NOT_THERE],
  [BOTH, "mirrored", AS_IT_CAME, COUNTERSIGNED, AS_IT_CAME],
  ["a signature of unknown type", "published", AS_IT_CAME, COUNTERSIGNED, COUNTERSIGNED],
  ["a signature of unknown type", "mirrored", AS_IT_CAME, COUNTERSIGNED, COUNTERSIGNED],
  ["a broken signature", "published", AS_IT_CAME, NOT_THERE, NOT_THERE],
  ["a broken signature", "mirrored", AS_IT_CAME, NOT_THERE, NOT_THERE],
];

/**
 * The same packages, stored while signing was off, so they have no signed copy: packages that a
 * push would refuse stay unchanged.
 */
const DOWNLOADS: readonly Row[] = UPLOADS.map(([carries, origin, ...fates]) => {
  const [off, reSign, reject] = fates.map((fate) => (fate === NOT_THERE ? AS_IT_CAME : fate));
  return [carries, origin, off ?? AS_IT_CAME, reSign ?? AS_IT_CAME, reject ?? AS_IT_CAME];
});

const STAND_IN = fileURLToPath(new URL("../src/testing/signing-mode-stand-in.ts", import.meta.url));
const WAYS = [
  { mode: "", column: "off" },
  { mode: "SelfSigned", column: "ReSign" },
  { mode: "SelfSigned", column: "Reject" },
  { mode: "StandIn", column: "ReSign" },
  { mode: "StandIn", column: "Reject" },
] as const;
type Way = (typeof WAYS)[number];

const inputs = new Map<string, Buffer>();
const idOf = (carries: Carries, origin: Origin) => `Acme.${origin}.${CARRIES.indexOf(carries)}`;
const inputOf = (carries: Carries, origin: Origin) =>
  inputs.get(idOf(carries, origin)) ?? Buffer.alloc(0);

const opened = new AsyncDisposableStack();
let folder = "";
let waiting = "";
let storedUnsigned = "";

beforeAll(async () => {
  folder = opened.use(await openFolder()).path;
  waiting = join(folder, "waiting");
  await mkdir(waiting);
  for (const carries of CARRIES) {
    for (const origin of ["published", "mirrored"] as const) {
      inputs.set(idOf(carries, origin), await packageThat(carries, idOf(carries, origin)));
    }
    const name = `${idOf(carries, "mirrored")}.1.0.0.nupkg`;
    await writeFile(join(waiting, name), inputOf(carries, "mirrored"));
  }
  storedUnsigned = join(folder, "stored-unsigned");
  await using host = await hostThat({ mode: "", column: "off" }, storedUnsigned);
  await downloadAll(host);
});
afterAll(() => opened.disposeAsync());

function hostThat({ mode, column }: Way, dataFolder: string): Promise<TestHost> {
  const env = {
    Feed__PublicBaseUrl: "https://feed.test",
    Signing__Mode: mode,
    Signing__PublishSignaturePolicy: column === "off" ? "ReSign" : column,
    ...(mode === "StandIn" && { Host__Extensions__0: STAND_IN, Signing__StandIn__Folder: folder }),
  };
  return startHost({ folder: dataFolder, env });
}

/** Pushes what is published, imports what is mirrored; gives the answers to the pushes. */
async function downloadAll(host: TestHost): Promise<ReadonlyMap<string, Response>> {
  const key = await host.makeToken({ scopes: "write" });
  const answers = new Map<string, Response>();
  for (const carries of CARRIES) {
    const body = new Uint8Array(inputOf(carries, "published"));
    const headers = { "x-nuget-apikey": key };
    const answer = await host.fetch("/api/v2/package", { method: "PUT", headers, body });
    answers.set(carries, answer);
  }
  await host.cli("import", "nuget", waiting, "--mirrored");
  return answers;
}

async function download(host: TestHost, id: string): Promise<Buffer | undefined> {
  const lower = id.toLowerCase();
  const answer = await host.fetch(`/v3/package/${lower}/1.0.0/${lower}.1.0.0.nupkg`);
  const bytes = Buffer.from(await answer.arrayBuffer());
  if (answer.status === 404) return undefined;
  expect(answer.status).toBe(200);
  return bytes;
}

async function fateIn(host: TestHost, carries: Carries, origin: Origin): Promise<Fate> {
  const served = await download(host, idOf(carries, origin));
  return fateOf(inputOf(carries, origin), served, "https://feed.test/v3/index.json");
}

/** The number of certificates in the feed's list. */
async function certificatesIn(host: TestHost): Promise<number> {
  const answer = await host.fetch("/v3/repository-signatures/index.json");
  const { signingCertificates } = (await answer.json()) as { signingCertificates: unknown[] };
  return signingCertificates.length;
}

describe.each(WAYS)("an upload, signing mode “$mode”, policy $column", (way) => {
  let host: TestHost;
  let answers: ReadonlyMap<string, Response>;
  beforeAll(async () => {
    host = opened.use(await hostThat(way, join(folder, `upload-${way.mode}-${way.column}`)));
    answers = await downloadAll(host);
  });
  afterAll(async () => void (await host.stop()));

  test.each(UPLOADS)("a package that carries %s, %s", async (...row) => {
    const [carries, origin] = row;
    const expected = row[COLUMNS[way.column]];
    expect(await fateIn(host, carries, origin)).toBe(expected);
    if (origin === "mirrored") return;
    const answer = answers.get(carries);
    expect(answer?.status).toBe(expected === NOT_THERE ? 400 : 201);
  });

  test("a refusal has a reason, and a certificate is recorded once it has signed", async () => {
    expect(await certificatesIn(host)).toBe(way.column === "off" ? 0 : 1);
    const refusal = "package already has a repository signature";
    const warning = answers.get(UPSTREAM)?.headers.get("x-nuget-warning");
    expect(warning?.includes(refusal)).toBe(way.column === "Reject");
    if (way.column === "off") return;
    const broken = answers.get("a broken signature")?.headers.get("x-nuget-warning");
    expect(broken).toContain("NU3008");
  });
});

describe.each(WAYS)("a first download, signing mode “$mode”, policy $column", (way) => {
  let host: TestHost;
  beforeAll(async () => {
    const own = join(folder, `download-${way.mode}-${way.column}`);
    await cp(storedUnsigned, own, { recursive: true });
    host = opened.use(await hostThat(way, own));
  });
  afterAll(async () => void (await host.stop()));

  test.each(DOWNLOADS)("a package that carries %s, %s", async (...row) => {
    const [carries, origin] = row;
    const expected = row[COLUMNS[way.column]];
    expect(await fateIn(host, carries, origin)).toBe(expected);
    const id = idOf(carries, origin);
    const again = [await download(host, id), await download(host, id)];
    expect(again[0]?.equals(again[1] ?? Buffer.alloc(0))).toBe(true);
    const warnings = host.output().match(new RegExp(`"id":"${id}"[^\\n]*Served unchanged`, "g"));
    // Three downloads, and one line in the log.
    const isWarned = way.column !== "off" && expected === AS_IT_CAME;
    expect(warnings ?? []).toHaveLength(isWarned ? 1 : 0);
  });

  test("the signed copy is kept: another instance serves the same bytes", async () => {
    const id = idOf(BOTH, "mirrored");
    const before = await download(host, id);
    await using other = await hostThat(way, host.folder);
    expect((await download(other, id))?.equals(before ?? Buffer.alloc(0))).toBe(true);
    expect(await certificatesIn(other)).toBe(way.column === "off" ? 0 : 1);
  });
});
