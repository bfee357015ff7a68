import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { runInProcess, startHost } from "../src/testing/index.ts";

// Errors of libraries that an operator reads, each with the setting to correct.

const cleanUp = new AsyncDisposableStack();
let folder = "";
let closedPort = 0;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "sealhouse-errors-"));
  cleanUp.defer(() => rm(folder, { recursive: true, force: true }));
  await writeFile(join(folder, "file"), "{not JSON");
  await writeFile(join(folder, "object.json"), "{}");
  closedPort = await findClosedPort();
});
afterAll(() => cleanUp.disposeAsync());

/** A port that was free a moment ago. */
async function findClosedPort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

const ISSUER = "Host__TrustedPublishing__Issuers__cluster__";
const MYSQL = "Uid=u;Pwd=secret;Database=d;SslMode=VerifyFull";
const MAIL = {
  EmailSettings__Provider: "Smtp",
  EmailSettings__FromAddress: "registry@acme.example",
  EmailSettings__Administrators__0: "ada@acme.example",
  EmailSettings__Smtp__Host: "127.0.0.1",
};

type Case = {
  readonly name: string;
  readonly words?: string;
  /** `FOLDER` is a folder with the files `file` and `object.json`, `PORT` a closed port. */
  readonly env: Readonly<Record<string, string>>;
  readonly code: number;
  readonly expected: RegExp;
};

test.each<Case>([
  {
    name: "MySQL with VerifyFull and an IP address",
    env: { Database__Type: "MySql", ConnectionStrings__MySql: `Server=127.0.0.1;${MYSQL}` },
    code: 78,
    expected: /ConnectionStrings__MySql: .*"SSL Mode".*Server is an IP address/,
  },
  {
    name: "a folder of SQLite that cannot be created",
    env: { ConnectionStrings__Sqlite: "Data Source=FOLDER/file/x/y.db" },
    code: 78,
    expected: /^ConnectionStrings__Sqlite: the folder \S+\/file\/x does not exist and cannot/,
  },
  {
    name: "the same in a command",
    words: "token list",
    env: { Database__ConnectionString: "Data Source=FOLDER/file/x/y.db" },
    code: 1,
    expected:
      /y\.db": the folder \S+\/file\/x cannot be created \(ENOTDIR\).*Database__ConnectionString/,
  },
  {
    name: "the SQLite file of the data folder, in a command",
    words: "token list",
    env: { Host__DataPath: "FOLDER/file/data" },
    code: 1,
    expected:
      /sealhouse\.db": the folder \S+ cannot be created \(ENOTDIR\).*Correct Host__DataPath/,
  },
  {
    name: "SQLite below /proc",
    env: { ConnectionStrings__Sqlite: "Data Source=/proc/x/feed.db" },
    code: 78,
    expected: /ConnectionStrings__Sqlite: the file \/proc\/x\/feed\.db is below \/proc/,
  },
  {
    name: "SQLite below /proc in a command",
    words: "token list",
    env: { Database__ConnectionString: "Data Source=/proc/x/feed.db" },
    code: 78,
    expected: /Database__ConnectionString: the file \/proc\/x\/feed\.db is below \/proc/,
  },
  {
    name: "folders below /proc",
    env: {
      Host__DataPath: "/proc/x",
      Storage__Path: "/proc/y/z",
      Host__DataProtection__KeyPath: "/proc/../proc/keys",
    },
    code: 78,
    expected:
      /Host__DataPath: "\/proc\/x" is not allowed; allowed: a folder that is not below \/proc[^]*KeyPath: [^]*Storage__Path: "/,
  },
  {
    name: "a missing file of an issuer's keys",
    env: { [`${ISSUER}Url`]: "https://cluster.example", [`${ISSUER}JwksPath`]: "FOLDER/none" },
    code: 78,
    expected: /__cluster__JwksPath: the file cannot be read: ENOENT.*\/none/,
  },
  {
    name: "an issuer's keys that are not JSON",
    env: { [`${ISSUER}Url`]: "https://cluster.example", [`${ISSUER}JwksPath`]: "FOLDER/file" },
    code: 78,
    expected: /__cluster__JwksPath: \S+\/file is not JSON; expected a JSON Web Key Set/,
  },
  {
    name: "JSON without keys",
    env: {
      [`${ISSUER}Url`]: "https://cluster.example",
      [`${ISSUER}JwksPath`]: "FOLDER/object.json",
    },
    code: 78,
    expected: /__cluster__JwksPath: \S+\/object\.json has no "keys"/,
  },
  {
    name: "a mail server that is not there",
    words: "mail test",
    env: { ...MAIL, EmailSettings__Smtp__Port: "PORT" },
    code: 1,
    expected: /ECONNREFUSED.*; check EmailSettings__Smtp__Host and EmailSettings__Smtp__Port/,
  },
])("$name: the setting is in the message", async ({ words = "serve", env, code, expected }) => {
  const settings = Object.entries(env).map(([key, text]) => [
    key,
    text.replace("FOLDER", folder).replace("PORT", String(closedPort)),
  ]);
  const ran = await runInProcess(words.split(" "), {
    folder,
    env: {
      ASPNETCORE_ENVIRONMENT: "Development",
      ASPNETCORE_URLS: "http://127.0.0.1:0",
      Host__DataPath: join(folder, "data"),
      ...Object.fromEntries(settings),
    },
    // A host that starts ends at once, with 0.
    ...(words === "serve" && { stop: AbortSignal.abort() }),
  });
  expect(ran.stderr).toMatch(expected);
  expect(ran.stderr).not.toMatch(/^ {4}at |secret/m);
  expect(ran.code).toBe(code);
});

test("a missing folder of advisories is a warning and degrades the health", async () => {
  const path = join(folder, "advisories");
  const key = "Feed__Vulnerabilities__Sources__0__";
  await using host = await startHost({ env: { [`${key}Name`]: "own", [`${key}Path`]: path } });
  const report = async () => {
    const answer = await host.fetch("/health", { headers: { accept: "application/json" } });
    return { status: answer.status, body: (await answer.json()) as object };
  };
  await vi.waitFor(
    async () =>
      expect(await report()).toMatchObject({
        status: 200,
        body: {
          checks: {
            "advisories:own": { status: "degraded", description: `cannot be read: ${key}Path` },
          },
        },
      }),
    { timeout: 60_000, interval: 500 },
  );
  expect(host.output()).toMatch(
    /"setting":"Feed__Vulnerabilities__Sources__0__Path".*could not read a source of advisories/,
  );
}, 90_000);
