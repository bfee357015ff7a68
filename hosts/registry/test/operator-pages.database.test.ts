import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { openTestPlace, postgresBinaries, leaveTestServers } from "@sealhouse/database/testing";
import { afterAll, describe, expect, test } from "vitest";
import { runInProcess, spawnHost } from "../src/testing/index.ts";
import { nugetArtifact, npmArtifact, ociArtifact } from "./artifacts.ts";
import { openFolder, run } from "./clients/client.ts";
import { readManual, textsOf } from "./manual-page.ts";
import { openShell } from "./page-shell.ts";

// Runs the commands of the pages for operators with processes on this machine.

const NAMES = [
  "audit",
  "database",
  "deploy",
  "instances",
  "monitoring",
  "retention",
  "storage/README",
  "upgrade",
];
const PATHS = NAMES.map((name) => `../../../docs/${name}.md`);
const PAGES = (await Promise.all(PATHS.map(readManual))).flat();
const SLOW = { timeout: 240_000 };
/** Blocks of commands that other files run, and those that need a server of the reader. */
const ELSEWHERE = {
  "containers/compose.clients.test.ts": ["sh cluster"],
  "storage-copy.test.ts": ["sh target", "sh copy", "sh start"],
  "with TEST_MSSQL_URL and TEST_MYSQL_URL": ["sh tests"],
  "with SEALHOUSE_OLD_HOST": ["sh rolling"],
};
const HERE = ["deploy", "rows", "server", "audit", "history", "check", "settings", "retention"];

const one = (language: string): string => {
  const [text = "", ...others] = textsOf(PAGES, language);
  expect([text === "", others], language).toEqual([false, []]);
  return text;
};

/** Throws when the page does not have one of the replaced parts. */
function replaced(text: string, pairs: readonly (readonly [from: string, to: string])[]): string {
  return pairs.reduce((changed, [from, to]) => {
    expect(changed).toContain(from);
    return changed.replaceAll(from, to);
  }, text);
}

test("every block of commands is run by a test", () => {
  const languages = PAGES.map(({ language }) => language).filter((name) => name.startsWith("sh"));
  const known = [...HERE.map((name) => `sh ${name}`), ...Object.values(ELSEWHERE).flat()];
  expect([...new Set(languages)].toSorted()).toEqual(known.toSorted());
});

test("every command of a sentence exists", SLOW, async () => {
  await using folder = await openFolder();
  const texts = PATHS.map((path) => readFile(new URL(path, import.meta.url), "utf8"));
  const text = (await Promise.all(texts)).join("\n");
  const commands = [...text.matchAll(/`sealhouse ((?:[a-z]+(?:-[a-z]+)* ?)+)/g)];
  const words = new Set(commands.map(([, command = ""]) => command.trim()));
  expect(words.size).toBeGreaterThan(8);
  for (const command of words) {
    const help = await runInProcess([...command.split(" "), "--help"], {
      folder: folder.path,
      env: {},
    });
    const usage = `Usage: sealhouse ${command.split(" ").slice(0, 2).join(" ")}`;
    expect([help.code, help.printed], command).toEqual([0, expect.stringContaining(usage)]);
  }
});

test("a host starts with the settings of docs/deploy.md", SLOW, async () => {
  await using folder = await openFolder();
  const data = join(folder.path, "data");
  const block = replaced(one("sh deploy"), [
    ["=http://+:8080", "=http://127.0.0.1:0"],
    ["'<32 bytes or more>'", randomBytes(24).toString("hex")],
    ["=/data", `=${data}`],
  ]);
  expect(block).toContain("node hosts/registry/dist/main.js serve");
  const settings = block.matchAll(/(\w+)=(\S+)/g);
  const env = Object.fromEntries([...settings].map(([, key, value]) => [key, value]));
  expect(Object.keys(env)).toContain("ASPNETCORE_ENVIRONMENT");
  await using host = await spawnHost({ folder: data, env });
  expect((await host.fetch("/health")).status).toBe(200);
});

test("the commands for audits, history, checks and retention run", SLOW, async () => {
  await using folder = await openFolder();
  const env = {
    ASPNETCORE_ENVIRONMENT: "Development",
    Host__DataPath: join(folder.path, "data"),
    Feed__Oci__Default__Enabled: "true",
    Signing__SelfSigned__KeySize: "KeySize2048",
  };
  {
    await using host = await spawnHost({ folder: env.Host__DataPath, env });
    const token = await host.makeToken({ scopes: "read,write" });
    const artifacts = [
      nugetArtifact("Acme.Widgets", randomBytes(1_000)),
      npmArtifact("left-pad", randomBytes(1_000)),
      ociArtifact("team/app", randomBytes(1_000)),
    ];
    for (const artifact of artifacts) expect(await artifact.push(host, token)).toBe(true);
    const events = async () => (await host.cli("audit", "list")).stdout;
    await expect.poll(events, { timeout: 60_000, interval: 500 }).toMatch(/team\/app/);
  }
  const shell = await openShell(folder.path, env);
  expect(await shell(one("sh audit"))).toMatch(/token\.created[^]*nuget\/Acme\.Widgets/);
  expect(await shell(one("sh history"))).toMatch(/left-pad[^]*acme\.widgets[^]*team\/app/);
  expect(await shell(one("sh check"))).toMatch(/ 0 damaged/);
  const settings = textsOf(PAGES, "sh settings").map((text) => `set -a\n${text}set +a\n`);
  for (const text of settings) {
    expect(await shell(`${text}sealhouse config check\n`)).toContain("is valid");
  }
  await shell(`${settings.join("")}${one("sh retention")}`);
});

const BINARIES = postgresBinaries();

describe.skipIf(BINARIES === undefined)("on PostgreSQL", () => {
  afterAll(leaveTestServers);

  test("a feed moves from SQLite with the commands of the page", SLOW, async () => {
    await using opened = new AsyncDisposableStack();
    const { path } = opened.use(await openFolder());
    const { config } = opened.use(await openTestPlace("PostgreSQL"));
    if (config.type !== "PostgreSQL") throw new TypeError("The target is PostgreSQL.");
    const { host: server, port, user, database } = config;
    const name = `feed_${randomBytes(6).toString("hex")}`;
    const psql = async (...statements: readonly string[]) => {
      const words = statements.flatMap((statement) => ["--command", statement]);
      const account = ["--host", server, "--port", String(port), "--username", user];
      const args = [...account, "--set", "ON_ERROR_STOP=1", ...words, database];
      const { code, output } = await run(join(BINARIES ?? "", "psql"), args);
      expect(code, output).toBe(0);
    };
    opened.defer(() => psql(`drop database ${name} with (force)`, `drop user ${name}`));
    const create = replaced(one("sql database"), [
      ["feed", name],
      ["database sealhouse", `database ${name}`],
      ["'…'", "'the password'"],
    ]);
    await psql(...create.trim().split("\n"));
    const target = `postgres://${name}:the%20password@${server}:${port}/${name}`;
    const env = {
      ASPNETCORE_ENVIRONMENT: "Development",
      Host__DataPath: join(path, "data"),
      Signing__SelfSigned__KeySize: "KeySize2048",
    };
    const artifact = nugetArtifact("Acme.Moved", randomBytes(100_000));
    {
      await using host = await spawnHost({ folder: env.Host__DataPath, env });
      expect(await artifact.push(host, await host.makeToken({ scopes: "read,write" }))).toBe(true);
    }
    const shell = await openShell(path, env);
    const rows = replaced(one("sh rows"), [["postgres://feed:…@db/sealhouse", target]]);
    const start = replaced(one("sh server"), [["sealhouse serve\n", ""]]);
    expect(await shell(`${rows}${start}`)).toMatch(/copied \d+ rows[^]*is valid/);
    const moved = { ...env, Database__Type: "PostgreSQL", Database__ConnectionString: target };
    await using host = await spawnHost({ folder: env.Host__DataPath, env: moved });
    expect(await artifact.check(host)).toBe("whole");
  });
});
