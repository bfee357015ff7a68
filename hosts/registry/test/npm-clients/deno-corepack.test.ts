import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { run } from "../clients/client.ts";
import { denoCommand, installedClients } from "./installed-clients.ts";
import type { NpmClients } from "./npm-clients.ts";
import { openNpmClients } from "./npm-clients.ts";

const only = (["npm-12"] as const).filter((name) => installedClients().includes(name));
const deno = denoCommand();

/** The lines of `docs/npm-install.md` for clients that only read, where reading takes a token. */
describe.runIf(only.length > 0)("clients that only read", () => {
  let clients: NpmClients;

  beforeAll(async () => {
    const env = { Feed__Authentication__AllowAnonymousPull: "false" };
    clients = await openNpmClients({ only, env });
  });
  afterAll(() => clients[Symbol.asyncDispose]());

  test.runIf(deno)("deno installs from the lines in .npmrc, and runs what it got", async () => {
    const client = clients.client("npm-12");
    const source = await client.source("@acme/for-deno", "1.2.3", { exports: "./index.js" });
    expect((await client.publish(source)).code).toBe(0);
    const address = client.registry.replace(/^https?:/, "");
    const env = { HOME: client.home, DENO_DIR: join(client.home, "deno"), NO_COLOR: "1" };
    const project = await client.folder(
      { dependencies: { "@acme/for-deno": "^1.0.0" } },
      {
        ".npmrc": `@acme:registry=${client.registry}\n${address}:_authToken=${clients.token}\n`,
        "deno.json": '{ "minimumDependencyAge": 0 }\n',
        "main.ts": 'import text from "@acme/for-deno";\nconsole.log(text);\n',
      },
    );
    const [program = "deno"] = deno ?? [];
    const installed = await run(program, ["install"], { cwd: project, env });
    expect(installed.code, installed.output).toBe(0);
    const ran = await run(program, ["run", "main.ts"], { cwd: project, env });
    expect(ran.output).toContain("@acme/for-deno@1.2.3");
  });

  test("corepack loads a package manager from here, by the registry's own keys", async () => {
    const client = clients.client("npm-12");
    const program = 'console.log("pnpm of ours")';
    const manifest = { name: "pnpm", version: "9.99.0", bin: { pnpm: "bin/pnpm.cjs" } };
    const source = await client.folder(manifest, { "bin/pnpm.cjs": program });
    const sent = await client.publish(source);
    expect(sent.code, sent.output).toBe(0);
    const entry = createRequire(import.meta.url).resolve("corepack/package.json");
    const corepack = join(dirname(entry), "dist", "corepack.js");
    expect(JSON.parse(await readFile(entry, "utf8"))).toMatchObject({ name: "corepack" });
    const headers = { authorization: `Bearer ${clients.token}` };
    const answer = await clients.host.fetch("/npm/-/npm/v1/keys", { headers });
    const keys = (await answer.text()).replace('"keys"', '"npm"');
    const load = (trusted: string) =>
      run(process.execPath, [corepack, "pnpm@9.99.0"], {
        cwd: client.home,
        env: {
          HOME: client.home,
          COREPACK_HOME: join(client.home, `corepack-${trusted.length}`),
          COREPACK_NPM_REGISTRY: client.registry.replace(/\/$/, ""),
          COREPACK_NPM_TOKEN: clients.token,
          COREPACK_INTEGRITY_KEYS: trusted,
          COREPACK_ENABLE_DOWNLOAD_PROMPT: "0",
        },
      });
    const loaded = await load(keys);
    expect(loaded.output).toContain("pnpm of ours");
    expect(loaded.code).toBe(0);
    const refused = await load('{"npm":[]}');
    expect(refused.code).not.toBe(0);
  });
});
